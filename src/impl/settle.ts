/** Settles an effect in doubt, for a person or program that has asked the sink. */
import { canonicalJson } from './canonical-json.ts'
import { type KeyInDoubt, needDoubt } from './in-doubt.ts'
import { needKnown } from './known-options.ts'
import type { Layer } from './layer.ts'
import { needFence, type Reconciled } from './options.ts'
import { statusOfDone } from './record-done.ts'
import { keysOf } from './records.ts'

/**
 * The known result of an effect in doubt.
 * @example
 * ```ts
 * import type { Settlement } from 'onceproof/once'
 *
 * const happened: Settlement = { status: 'applied', result: { charge: 'ch_1' } }
 * ```
 */
export type Settlement = Exclude<Reconciled, { readonly status: 'unknown' }>

/**
 * The outcome of `settle`.
 * @example
 * ```ts
 * import type { Settled } from 'onceproof/once'
 *
 * const isSettled = ({ status }: Settled): boolean => status === 'done' || status === 'open'
 * ```
 */
export type Settled =
  /** The first recorded result. */
  | { readonly status: 'done'; readonly result: unknown }
  /** The effect is recorded. `unkept`: why an earlier record of it has no result. */
  | { readonly status: 'done-unkept'; readonly unkept: string }
  /** The next run may perform, and the count of attempts is reset. */
  | { readonly status: 'open' }
  /**
   * The doubt was settled meanwhile, perhaps by this very call, whose first answer was lost; or
   * data may have been lost since. Ask for the status again.
   */
  | { readonly status: 'stale' }
  /** The settlement may be on record, or may be later. It may be sent again. */
  | { readonly status: 'unreachable'; readonly error: Error }

/**
 * Throws `TypeError` for any other settlement, for a doubt that this version did not report, for a
 * result that JSON cannot represent, and for a highest fence that is invalid or leaves no room for
 * later ones. Also for `barred` if an unrecorded refusal may have been returned: another attempt
 * would contradict it.
 */
export async function settle(layer: Layer, doubt: KeyInDoubt, settlement: Settlement): Promise<Settled> {
  const { records, settings } = layer
  needDoubt(doubt)
  const { key, producedAt, fence } = doubt
  const { fingerprint, ...begin } = doubt.handle
  const about = { ...keysOf(key, settings), producedAt, fingerprint, formerly: '' }
  if (settlement?.status !== 'applied' && settlement?.status !== 'barred')
    throw new TypeError("settle: give { status: 'applied', result } or { status: 'barred' }")
  needKnown('settle', settlement, ['status', 'result', 'highest'])
  if (settlement.status === 'applied') {
    const result = canonicalJson('result', settlement.result ?? null, 'equal')
    const recorded = await records.complete(about, fence, { result })
    if (recorded.status === 'unreachable') return recorded
    settings.notify({ type: 'completed', key, fence, onRecord: true })
    return statusOfDone(recorded)
  }
  if (settings.sink.kind === 'plain' && settings.sink.reconcile === undefined && !settings.sink.settledByHand)
    throw new TypeError("settle: 'barred' needs settledByHand in the `sink` of every process, or reconcile")
  const { highest } = settlement
  needFence('settle', highest)
  const reopened = await records.reopen(about, { fence, ...begin }, { highest, resetAttempts: true })
  if (reopened.status === 'unreachable') return reopened
  if (reopened.status === 'lost') return { status: 'stale' }
  settings.notify({ type: 'reopened', key, fence })
  return { status: 'open' }
}
