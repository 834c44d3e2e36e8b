/**
 * The append-only file: a data set to begin with, and every effect since. Source: aof.c of Redis
 * 7.0.
 *
 * Fault model: all that was appended outlives the process, for the operating system has it; what
 * outlives the machine is what was synced. `always`: all of it. `everysec`: a second of the
 * server's clock begins, and what had been appended by then is synced; the first write after a
 * quiet second is synced with it. `no`: the same every 30 seconds, as Linux writes back on its own.
 * No timer is needed for that: it is worked out when somebody asks. Syncing takes no time, and
 * nothing fails or is torn. Left out: rewriting for size, and delays while the disk is busy.
 */
import type { RedisConfig } from '../config.ts'
import { encodeCommand } from '../resp/encode-command.ts'

const secondUs = 1_000_000
const writebackSeconds = 30

export class AppendOnlyFile {
  private commands: string
  private syncedLength: number
  private lastSync: number
  private selected = -1

  constructor(
    private readonly config: Pick<RedisConfig, 'appendfsync'>,
    private readonly nowUs: () => number,
    /** What the file begins with. */
    readonly base: string,
    commands = '',
  ) {
    this.commands = commands
    this.syncedLength = commands.length
    this.lastSync = this.period
  }

  append(database: number, words: readonly string[]): void {
    const select = this.selected === database ? '' : encodeCommand(['SELECT', String(database)])
    this.selected = database
    const written = this.commands.length
    this.commands += select + encodeCommand(words)
    const { period } = this
    if (this.config.appendfsync === 'always') this.syncedLength = this.commands.length
    else if (period > this.lastSync) {
      // What waited was synced as the period began; if nothing did, this is what is synced.
      this.syncedLength = this.syncedLength < written ? written : this.commands.length
      this.lastSync = period
    }
  }

  /** What a reader finds: after the death of the process, or of the machine. */
  left(lost: 'process' | 'machine'): { base: string; commands: string } {
    const all = lost === 'process' || this.period > this.lastSync
    return { base: this.base, commands: all ? this.commands : this.commands.slice(0, this.syncedLength) }
  }

  private get period(): number {
    const seconds = this.config.appendfsync === 'no' ? writebackSeconds : 1
    return Math.floor(this.nowUs() / (seconds * secondUs))
  }
}
