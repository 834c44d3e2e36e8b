/**
 * The outside world that effects reach: a payment gateway, a mail server. Each request is handled atomically. What it
 * knows, every effect that was applied, is the truth that verdicts are about.
 * Left out: that it forgets keys or fences, that it is several machines.
 */
import type { EffectRequest, LookupAnswer, RaiseAnswer, Receipt, SinkKind } from '../../contract/sink.ts'
import type { MaybePromise } from '../maybe-promise.ts'

/** What the sink makes of one request to perform. */
export type PerformAnswer =
  | { readonly status: 'applied'; readonly receipt: Receipt }
  | { readonly status: 'deduplicated'; readonly receipt: Receipt }
  | { readonly status: 'stale-fence'; readonly highest: number }

/** Where effects are written down: in memory, or on a disk first. */
export interface Ledger {
  readonly kind: SinkKind
  perform(request: EffectRequest): MaybePromise<PerformAnswer>
  raise(key: string, fence: number): MaybePromise<RaiseAnswer>
  lookup(key: string): LookupAnswer
}

interface KeyState {
  first: Receipt | null
  highestFence: number
}

/** A ledger in memory, by the rules of its kind of sink. */
export class MemoryLedger {
  readonly #keys = new Map<string, KeyState>()
  #effects = 0

  constructor(readonly kind: SinkKind) {}

  perform({ key, payload, fence }: EffectRequest): PerformAnswer {
    const state = this.#state(key)
    if (this.kind === 'keyed' && state.first !== null) return { status: 'deduplicated', receipt: state.first }
    if (this.kind === 'fenced' && fence !== undefined) {
      if (fence < state.highestFence) return { status: 'stale-fence', highest: state.highestFence }
      state.highestFence = fence
    }
    const receipt: Receipt = { effectId: `effect-${++this.#effects}`, key, payload }
    state.first ??= receipt
    return { status: 'applied', receipt }
  }

  raise(key: string, fence: number): RaiseAnswer {
    const state = this.#state(key)
    if (fence <= state.highestFence) return { status: 'refused', highest: state.highestFence }
    state.highestFence = fence
    return state.first === null ? { status: 'clear' } : { status: 'applied', receipt: state.first }
  }

  lookup(key: string): LookupAnswer {
    const first = this.#keys.get(key)?.first ?? null
    return first === null ? { status: 'absent' } : { status: 'applied', receipt: first }
  }

  #state(key: string): KeyState {
    let state = this.#keys.get(key)
    if (state === undefined) this.#keys.set(key, (state = { first: null, highestFence: 0 }))
    return state
  }
}
