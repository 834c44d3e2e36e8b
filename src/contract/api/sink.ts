import type { JsonValue } from './json.ts'

/**
 * The kinds of sinks.
 * - `plain`: applies every request.
 * - `keyed`: remembers keys, forever or for a limited time, and answers a repeated request with the
 *   first receipt.
 * - `fenced`: refuses requests whose fence is below the highest it has seen for the key, and offers
 *   `raise`, which accepts only a fence that is higher than all before.
 * - `cancellable`: applies every request, as `plain` does, and offers `cancel`, which undoes
 *   effects by the reference that their requests carried. The sink refuses a cancelled reference
 *   from then on, even if its request arrives later. Only effects that are not cancelled when the
 *   run is at rest count.
 * - `transactional`: the effect is a row of the database in which the layer keeps its records. The
 *   sink offers `statement` instead of `perform`, and an effect is applied when the transaction
 *   that executed the statement commits.
 * @example
 * ```ts
 * import type { SinkKind } from 'onceproof'
 *
 * const sinks: readonly SinkKind[] = ['plain', 'keyed']
 * ```
 */
export type SinkKind = 'plain' | 'keyed' | 'fenced' | 'cancellable' | 'transactional'
export const sinkKinds: readonly SinkKind[] = ['plain', 'keyed', 'fenced', 'cancellable', 'transactional']

/**
 * One request for an effect.
 * @example
 * ```ts
 * import type { EffectRequest } from 'onceproof'
 *
 * const request: EffectRequest = { key: 'order-1', payload: { cents: 100 }, fence: 7 }
 * ```
 */
export interface EffectRequest {
  readonly key: string
  readonly payload: JsonValue
  /** The fencing token, which grows with each holder of the key. Only a `fenced` sink reads it. */
  readonly fence?: number
  /**
   * The layer's name for this request, by which `cancel` finds it; only a `cancellable` sink reads
   * it.
   */
  readonly reference?: string
}

/**
 * The sink's record of an effect that it applied, which it usually returns. It is plain JSON, and
 * the same for each repeated request.
 * @example
 * ```ts
 * import type { Receipt } from 'onceproof'
 *
 * const receipt: Receipt = { effectId: 'effect-1', key: 'order-1' }
 * ```
 */
export interface Receipt {
  readonly effectId: string
  readonly key: string
  readonly [name: string]: JsonValue
}

/**
 * What a caller of the sink gets for an effect: the receipt, or another value of this sink.
 * Undefined if the sink returns nothing at all (HTTP 204); as the result of a `done`, this equals
 * null.
 * @example
 * ```ts
 * import type { EffectResult } from 'onceproof'
 *
 * const answer = (result: EffectResult) => ({ status: 'done', result }) as const
 * ```
 */
export type EffectResult = JsonValue | undefined

/**
 * The answer of a `fenced` sink to `raise`.
 * @example
 * ```ts
 * import type { RaiseAnswer } from 'onceproof'
 *
 * const mayPerform = ({ status }: RaiseAnswer): boolean => status === 'clear'
 * ```
 */
export type RaiseAnswer =
  /** An effect for the key was applied before, with this result. */
  | { readonly status: 'applied'; readonly receipt: EffectResult }
  /** No effect has been applied so far, and requests below this fence will be refused forever. */
  | { readonly status: 'clear' }
  /**
   * The fence is not above `highest`, the highest fence that was raised or performed with before.
   */
  | { readonly status: 'refused'; readonly highest: number }

/**
 * The answer of a sink to `lookup`. `absent` proves nothing: the request may still be in flight.
 * @example
 * ```ts
 * import type { LookupAnswer } from 'onceproof'
 *
 * const isApplied = ({ status }: LookupAnswer): boolean => status === 'applied'
 * ```
 */
export type LookupAnswer =
  | { readonly status: 'applied'; readonly receipt: EffectResult }
  | { readonly status: 'absent' }

/**
 * The answer of a `cancellable` sink to `cancel`. `nothing`: there was no effect with that
 * reference. In either case, there is no such effect now, and there never will be.
 */
export interface CancelAnswer {
  readonly status: 'cancelled' | 'nothing'
}

/**
 * The side effect, as the layer under test reaches it: over a network, with a timeout. A rejection
 * with `name: 'SinkRefusal'` is definitive (no effect, and none will come from this request). Any
 * other rejection (`SinkTimeout`, `SinkUnavailable`) leaves the effect in doubt.
 * @example
 * ```ts
 * import type { Sink } from 'onceproof'
 *
 * const charge = (sink: Sink, key: string) => sink.perform({ key, payload: { cents: 100 } })
 * ```
 */
export interface Sink {
  readonly kind: SinkKind
  /**
   * Rejects on a `transactional` sink: there, only the layer's own transaction can perform the
   * effect.
   */
  perform(request: EffectRequest): Promise<EffectResult>
  /** Only for `fenced` sinks: raises the fence of the key. */
  raise?(key: string, fence: number): Promise<RaiseAnswer>
  /** Only for `keyed` and `fenced` sinks: looks up the effect of the key. */
  lookup?(key: string): Promise<LookupAnswer>
  /**
   * `cancellable` only: the compensating request. It undoes the effects of the key whose requests
   * had that reference. It is idempotent.
   */
  cancel?(key: string, reference: string): Promise<CancelAnswer>
  /**
   * `transactional` only: returns the statement to execute in the transaction that is to contain
   * the effect. Rejects as `perform` does if there is to be no effect; no effect is in doubt then.
   */
  statement?(request: EffectRequest): Promise<EffectStatement>
}

/**
 * An effect that is a row: SQL with numbered parameters, as `pg` takes it. Executing it twice
 * applies two effects.
 * @example
 * ```ts
 * import type { EffectStatement } from 'onceproof'
 * import type { PgClient } from 'onceproof/once'
 *
 * const insert = (client: PgClient, { text, values }: EffectStatement) =>
 *   client.query(text, [...values])
 * ```
 */
export interface EffectStatement {
  readonly text: string
  readonly values: string[]
  /** The result of the effect, once the transaction has committed. */
  readonly result: EffectResult
}

/**
 * True if a rejection of `perform` is definitive: the sink refused the request, and no effect will
 * come of it.
 * @example
 * ```ts
 * import { isSinkRefusal, type Message, type Outcome, type Sink } from 'onceproof'
 *
 * async function handle(sink: Sink, { key, payload }: Message): Promise<Outcome> {
 *   try {
 *     return { status: 'done', result: await sink.perform({ key, payload }) }
 *   } catch (error) {
 *     if (isSinkRefusal(error)) return { status: 'refused', error: error.message }
 *     throw error
 *   }
 * }
 * ```
 */
export function isSinkRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SinkRefusal'
}
