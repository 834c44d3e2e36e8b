/**
 * The ground truth about effects: every applied effect, in an append-only file that is flushed to
 * disk before the answer. Decisions are made in memory, one request after another. An answer is
 * sent after the effect is on disk.
 */
import { type FileHandle, open } from 'node:fs/promises'
import type { EffectRequest, LookupAnswer, RaiseAnswer, SinkKind } from '../../contract/api/sink.ts'
import {
  type Cancelled,
  type Ledger,
  MemoryLedger,
  type PerformAnswer,
  type SinkHabits,
} from '../../run/sink/memory-ledger.ts'

export class LiveLedger implements Ledger {
  readonly #memory: MemoryLedger
  #onDisk: Promise<void> = Promise.resolve()

  private constructor(
    private readonly file: FileHandle,
    kind: SinkKind,
    habits: SinkHabits,
  ) {
    this.#memory = new MemoryLedger(kind, habits)
  }

  static async create(path: string, kind: SinkKind, habits: SinkHabits): Promise<LiveLedger> {
    return new LiveLedger(await open(path, 'ax'), kind, habits)
  }

  get kind(): SinkKind {
    return this.#memory.kind
  }

  async perform(request: EffectRequest, refuses: boolean): Promise<PerformAnswer> {
    const answer = this.#memory.perform(request, refuses)
    const { fence, reference } = request
    if (answer.status === 'applied')
      await this.#append({
        ...answer.receipt,
        ...(fence === undefined ? {} : { fence }),
        ...(reference === undefined ? {} : { reference }),
      })
    return answer
  }

  async raise(key: string, fence: number): Promise<RaiseAnswer> {
    const answer = this.#memory.raise(key, fence)
    if (answer.status !== 'refused') await this.#append({ key, raised: fence })
    return answer
  }

  lookup(key: string): LookupAnswer {
    return this.#memory.lookup(key)
  }

  async cancel(key: string, reference: string): Promise<Cancelled> {
    const answer = this.#memory.cancel(key, reference)
    await this.#append({ key, cancelled: reference, effects: answer.effects })
    return answer
  }

  close(): Promise<void> {
    return this.#onDisk.then(() => this.file.close())
  }

  #append(line: object): Promise<void> {
    this.#onDisk = this.#onDisk.then(async () => {
      await this.file.appendFile(`${JSON.stringify(line)}\n`)
      await this.file.datasync()
    })
    return this.#onDisk
  }
}
