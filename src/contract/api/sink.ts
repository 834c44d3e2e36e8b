import type { JsonValue } from './json.ts'

/**
 * What the outside world offers. `plain`: applies every request. `keyed`: remembers keys, for as
 * long as it does, and answers the first receipt again. `fenced`: refuses requests whose fence is
 * below the highest it has seen for the key, and offers `raise`, which takes only a fence that is
 * higher than all before. `cancellable`: applies every request, as `plain` does, and takes effects
 * back: `cancel` names them by the reference that their requests carried, which is refused from
 * then on, had it come yet or not. Counted is what stands when the world is at rest.
 * `transactional`: the effect is a row of the database that the layer keeps its records in. It
 * offers `statement` in place of `perform`, and an effect is applied when the transaction that has
 * executed it commits.
 */
export type SinkKind = 'plain' | 'keyed' | 'fenced' | 'cancellable' | 'transactional'
export const sinkKinds: readonly SinkKind[] = ['plain', 'keyed', 'fenced', 'cancellable', 'transactional']

export interface EffectRequest {
  readonly key: string
  readonly payload: JsonValue
  /** The number that orders holders; only a `fenced` sink looks at it. */
  readonly fence?: number
  /**
   * What the layer calls this request, to `cancel` it by; only a `cancellable` sink looks at it.
   */
  readonly reference?: string
}

/**
 * What the sink writes down of an effect that it applied, and usually hands back. Plain JSON, the
 * same whenever it is asked again.
 */
export interface Receipt {
  readonly effectId: string
  readonly key: string
  readonly [name: string]: JsonValue
}

/**
 * What a caller of the sink is handed for an effect: the receipt, or whatever else this sink says.
 * Undefined where it says nothing at all (HTTP 204), which as the result of a `done` is the same as
 * null.
 */
export type EffectResult = JsonValue | undefined

/** What a `fenced` sink answers to `raise`. */
export type RaiseAnswer =
  /** An effect for the key was applied before; here is what it gave. */
  | { readonly status: 'applied'; readonly receipt: EffectResult }
  /** No effect so far, and requests below this fence will be refused for ever. */
  | { readonly status: 'clear' }
  /**
   * The fence is not higher than one that was raised or performed with before: the highest of them.
   */
  | { readonly status: 'refused'; readonly highest: number }

/**
 * What a sink that can be asked answers to `lookup`. `absent` proves nothing: the request may be on
 * its way.
 */
export type LookupAnswer =
  | { readonly status: 'applied'; readonly receipt: EffectResult }
  | { readonly status: 'absent' }

/**
 * What a `cancellable` sink answers to `cancel`. `nothing`: it had applied no effect with that
 * reference that still stood. Whichever it is, none with it stands now, and none will.
 */
export interface CancelAnswer {
  readonly status: 'cancelled' | 'nothing'
}

/**
 * The side effect, as the layer under test reaches it: over a network, with a time-out. A rejection
 * with `name: 'SinkRefusal'` is definitive (no effect, and none will come from this request). Any
 * other rejection (`SinkTimeout`, `SinkUnavailable`) leaves the effect in doubt.
 */
export interface Sink {
  readonly kind: SinkKind
  /**
   * Of a `transactional` sink, it rejects: there is no other way to the effect than the layer's own
   * transaction.
   */
  perform(request: EffectRequest): Promise<EffectResult>
  /** `fenced` only. */
  raise?(key: string, fence: number): Promise<RaiseAnswer>
  /** `keyed` and `fenced`. */
  lookup?(key: string): Promise<LookupAnswer>
  /**
   * `cancellable` only: the compensating request. It takes the effects of the key back whose
   * requests had that reference. Asked again, it does no harm.
   */
  cancel?(key: string, reference: string): Promise<CancelAnswer>
  /**
   * `transactional` only: what is to be executed in the transaction that the effect is to be part
   * of. It rejects as `perform` does where there is to be no effect: nothing is in doubt then.
   */
  statement?(request: EffectRequest): Promise<EffectStatement>
}

/**
 * An effect that is a row: SQL with numbered parameters, as `pg` takes it. Executed twice, it is
 * two effects.
 */
export interface EffectStatement {
  readonly text: string
  readonly values: string[]
  /** What the effect gives, once the transaction has committed. */
  readonly result: EffectResult
}

/** True for the one rejection of `perform` that is definitive. */
export function isSinkRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SinkRefusal'
}
