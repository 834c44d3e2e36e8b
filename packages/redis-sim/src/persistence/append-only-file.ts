/**
 * The append-only file: an initial data set and all later effects. Source: aof.c of Redis 7.0.
 *
 * Fault model: everything appended survives the death of the process, because the operating system
 * has received it. Everything synced survives the death of the machine. `always` syncs everything.
 * `everysec` syncs at the beginning of each second of the server's clock; the first write after a
 * quiet second is synced at once. `no` syncs in the same way, but every 30 seconds, like Linux's
 * writeback. No timer is needed, because the synced length is computed on demand. Syncing takes no
 * time, does not fail, and does not tear writes. Not simulated: rewriting for size, and delays
 * while the disk is busy.
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
    /** The initial data set. */
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
      // Earlier unsynced writes were synced when the period began. If all earlier writes were
      // synced already, this write is synced.
      this.syncedLength = this.syncedLength < written ? written : this.commands.length
      this.lastSync = period
    }
  }

  /** The content that survives the death of the process or of the machine. */
  left(lost: 'process' | 'machine'): { base: string; commands: string } {
    const all = lost === 'process' || this.period > this.lastSync
    return { base: this.base, commands: all ? this.commands : this.commands.slice(0, this.syncedLength) }
  }

  private get period(): number {
    const seconds = this.config.appendfsync === 'no' ? writebackSeconds : 1
    return Math.floor(this.nowUs() / (seconds * secondUs))
  }
}
