/**
 * The sink: it stands for a payment gateway or a mail server. It handles each request atomically.
 * Verdicts are based on its record of all applied effects. A keyed sink may forget its keys after
 * some time. Not modelled: forgotten fences, and a sink on several machines.
 */

import { assert } from 'virtual-node/assert'
import type { Plan } from '../../contract/api/plan.ts'
import type {
  CancelAnswer,
  EffectRequest,
  LookupAnswer,
  RaiseAnswer,
  Receipt,
  SinkKind,
} from '../../contract/api/sink.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { type EffectGift, givenFor } from './effect-gift.ts'

/**
 * `forgottenAfterMs` is present if a keyed sink had applied or refused a request for the key
 * before, and forgot the key after this time.
 */
export interface Forgetting {
  readonly forgottenAfterMs?: number
}

/**
 * The decision of the sink about one call of `perform`. `gives`: the value that the caller gets
 * instead of the receipt.
 */
export type PerformAnswer =
  | ({ readonly status: 'applied'; readonly receipt: Receipt; readonly gives?: EffectGift } & Forgetting)
  | { readonly status: 'deduplicated'; readonly receipt: Receipt; readonly gives?: EffectGift }
  | { readonly status: 'stale-fence'; readonly highest: number }
  | ({ readonly status: 'refused' } & Forgetting)
  /** The reference of the request had been cancelled before the request arrived. */
  | { readonly status: 'cancelled' }

/** The interface of a sink's ledger. It may be in memory, or write each effect to disk first. */
export interface Ledger {
  readonly kind: SinkKind
  /**
   * `refuses`: the sink refuses this request for good, unless it has already decided about the key.
   */
  perform(request: EffectRequest, refuses: boolean): MaybePromise<PerformAnswer>
  raise(key: string, fence: number): MaybePromise<RaiseAnswer>
  lookup(key: string): LookupAnswer
  cancel(key: string, reference: string): MaybePromise<Cancelled>
}

/** `effects`: ids of the effects that the cancellation undid. */
export interface Cancelled extends CancelAnswer {
  readonly effects: readonly string[]
}

interface KeyState {
  first: Receipt | null
  /**
   * True if a keyed sink has refused the key. The refusal is final, because a keyed sink repeats
   * its first answer, whatever that was (Stripe, idempotent requests).
   */
  refused: boolean
  decidedAtMs: number
  /** Set when the key was forgotten; the next decision reports it. */
  forgetting: Forgetting
  highestFence: number
  /**
   * Only for cancellable sinks: the ids of the effects by reference; null after the reference was
   * cancelled.
   */
  readonly references: Map<string, string[] | null>
}

/** The settings of a sink, in addition to its kind. */
export interface SinkHabits extends Pick<Plan, 'results' | 'sinkRemembersMs'> {
  /** Milliseconds on a clock that never steps. */
  nowMs(): number
}

/** A ledger in memory, with the rules of its kind of sink. */
export class MemoryLedger {
  readonly #keys = new Map<string, KeyState>()
  #effects = 0

  constructor(
    readonly kind: SinkKind,
    private readonly habits: SinkHabits,
  ) {}

  perform({ key, payload, fence, reference }: EffectRequest, refuses: boolean): PerformAnswer {
    const state = this.#state(key)
    if (this.kind === 'keyed' && state.first !== null)
      return { status: 'deduplicated', receipt: state.first, ...this.#gift(state.first) }
    if (refuses && !state.refused)
      Object.assign(state, { refused: this.kind === 'keyed', decidedAtMs: this.habits.nowMs() })
    if (refuses || state.refused) return { status: 'refused', ...this.#decided(state) }
    const named = this.kind === 'cancellable' && reference !== undefined ? reference : null
    if (named !== null && state.references.get(named) === null) return { status: 'cancelled' }
    if (this.kind === 'fenced' && fence !== undefined) {
      if (fence < state.highestFence) return { status: 'stale-fence', highest: state.highestFence }
      state.highestFence = fence
    }
    assert(!state.refused, 'a key that was refused for good has no effect')
    assert(this.kind !== 'keyed' || state.first === null, 'a keyed sink applies a key once')
    const receipt: Receipt = { effectId: `effect-${++this.#effects}`, key, payload }
    if (named !== null) state.references.set(named, [...(state.references.get(named) ?? []), receipt.effectId])
    if (state.first === null) Object.assign(state, { first: receipt, decidedAtMs: this.habits.nowMs() })
    return { status: 'applied', receipt, ...this.#gift(receipt), ...this.#decided(state) }
  }

  raise(key: string, fence: number): RaiseAnswer {
    const state = this.#state(key)
    if (fence <= state.highestFence) return { status: 'refused', highest: state.highestFence }
    state.highestFence = fence
    return state.first === null ? { status: 'clear' } : { status: 'applied', receipt: this.#handedOut(state.first) }
  }

  lookup(key: string): LookupAnswer {
    const { first } = this.#state(key)
    return first === null ? { status: 'absent' } : { status: 'applied', receipt: this.#handedOut(first) }
  }

  cancel(key: string, reference: string): Cancelled {
    const { references } = this.#state(key)
    const effects = references.get(reference) ?? []
    references.set(reference, null)
    return { status: effects.length > 0 ? 'cancelled' : 'nothing', effects }
  }

  #gift(receipt: Receipt): { readonly gives?: EffectGift } {
    const { results } = this.habits
    return results === undefined ? {} : { gives: givenFor(results, receipt) }
  }

  #handedOut(receipt: Receipt) {
    const { gives } = this.#gift(receipt)
    return gives === undefined ? receipt : gives.value
  }

  /** Returns `forgetting` for the first decision after the key was forgotten, and clears it. */
  #decided(state: KeyState): Forgetting {
    const { forgetting } = state
    state.forgetting = {}
    return forgetting
  }

  #state(key: string): KeyState {
    const known = this.#keys.get(key)
    if (known !== undefined && !this.#isForgotten(known)) return known
    const forgetting = known === undefined ? {} : { forgottenAfterMs: this.habits.sinkRemembersMs! }
    const state = { first: null, refused: false, decidedAtMs: 0, forgetting, highestFence: 0, references: new Map() }
    this.#keys.set(key, state)
    return state
  }

  #isForgotten({ first, refused, decidedAtMs }: KeyState): boolean {
    const { sinkRemembersMs } = this.habits
    if (this.kind !== 'keyed' || sinkRemembersMs === undefined || (first === null && !refused)) return false
    const sinceMs = this.habits.nowMs() - decidedAtMs
    assert(sinceMs >= 0, 'a sink has decided before it is asked again')
    return sinceMs >= sinkRemembersMs
  }
}
