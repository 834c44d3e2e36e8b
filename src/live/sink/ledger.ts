/**
 * What the outside world knows: every effect that was applied, in a file that is only ever appended to and forced to
 * the disk before anybody hears of it. It decides in memory, one request after the other, and tells when the disk has it.
 */
import { type FileHandle, open } from 'node:fs/promises'
import type { EffectRequest, LookupAnswer, RaiseAnswer, Receipt, SinkKind } from '../../contract/sink.ts'

export type PerformAnswer =
  | { readonly status: 'applied' | 'deduplicated'; readonly receipt: Receipt }
  | { readonly status: 'stale-fence'; readonly highest: number }

interface KeyState {
  first: Receipt | null
  highestFence: number
}

export class LiveLedger {
  readonly #keys = new Map<string, KeyState>()
  #effects = 0
  #onDisk: Promise<void> = Promise.resolve()

  private constructor(
    private readonly file: FileHandle,
    private readonly kind: SinkKind,
  ) {}

  static async create(path: string, kind: SinkKind): Promise<LiveLedger> {
    return new LiveLedger(await open(path, 'ax'), kind)
  }

  async perform({ key, payload, fence }: EffectRequest): Promise<PerformAnswer> {
    const state = this.#state(key)
    if (this.kind === 'keyed' && state.first !== null) return { status: 'deduplicated', receipt: state.first }
    if (this.kind === 'fenced' && fence !== undefined) {
      if (fence < state.highestFence) return { status: 'stale-fence', highest: state.highestFence }
      state.highestFence = fence
    }
    const receipt: Receipt = { effectId: `effect-${++this.#effects}`, key, payload }
    state.first ??= receipt
    await this.#append({ ...receipt, ...(fence === undefined ? {} : { fence }) })
    return { status: 'applied', receipt }
  }

  async raise(key: string, fence: number): Promise<RaiseAnswer> {
    const state = this.#state(key)
    if (fence <= state.highestFence) return { status: 'refused', highest: state.highestFence }
    state.highestFence = fence
    const { first } = state
    await this.#append({ key, raised: fence })
    return first === null ? { status: 'clear' } : { status: 'applied', receipt: first }
  }

  lookup(key: string): LookupAnswer {
    const { first } = this.#state(key)
    return first === null ? { status: 'absent' } : { status: 'applied', receipt: first }
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

  #state(key: string): KeyState {
    let state = this.#keys.get(key)
    if (state === undefined) this.#keys.set(key, (state = { first: null, highestFence: 0 }))
    return state
  }
}
