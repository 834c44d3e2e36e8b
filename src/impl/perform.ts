/**
 * Past the point of no return: the effect is sent once, and its outcome is recorded or in
 * doubt.
 */
import { reconcile } from './doubt.ts'
import type { Begin } from './in-doubt.ts'
import type { Layer } from './layer.ts'
import type { Lease } from './lease.ts'
import { type RunOutcome, retry } from './outcome.ts'
import { recordDone, stored } from './record-done.ts'
import type { Hold } from './records.ts'
import type { Attempt } from './work.ts'

/** Call it only after the store has answered that this begin is on record. */
export async function perform<Result>(
  layer: Layer,
  hold: Hold,
  begin: Begin,
  lease: Lease,
  effect: (attempt: Attempt) => Promise<Result>,
): Promise<RunOutcome<Result>> {
  let result: Result
  try {
    result = await effect({
      key: hold.key,
      fence: hold.fence,
      get signal() {
        return lease.signal
      },
    })
  } catch (error) {
    return layer.settings.isRefusal(error) ? refused(layer, hold, error) : unanswered(layer, hold, begin, error)
  }
  return recordDone(layer, hold, hold.fence, result, false)
}

/**
 * A refusal is final, unless another attempt holds the key: then that attempt decides.
 */
async function refused<Result>(layer: Layer, hold: Hold, error: unknown): Promise<RunOutcome<Result>> {
  const text = error instanceof Error ? error.message : String(error)
  const recorded = await layer.records.refuse(hold, text)
  const { key, fence } = hold
  layer.settings.notify({ type: 'refused', key, fence, onRecord: recorded.status === 'refused' })
  switch (recorded.status) {
    case 'completed':
      return stored(recorded, true)
    case 'refused':
      return { status: 'refused', error: recorded.error, repeated: false }
    case 'unreachable':
      // The refusal is not on record yet: if doubts can be settled, another attempt may be
      // permitted, and its effect may happen.
      if (settlesDoubts(layer)) return retry(layer.settings.unreachable, layer.settings.soonMs, recorded.error)
      return { status: 'refused', error: text, repeated: false }
    case 'lost':
      return retry('lease-lost', layer.settings.soonMs, error)
  }
}

/** A `keyed` sink is not included: it remembers a refusal as it remembers a receipt. */
function settlesDoubts({ settings: { sink } }: Layer): boolean {
  return (
    sink.kind === 'fenced' || (sink.kind === 'plain' && (sink.reconcile !== undefined || sink.settledByHand === true))
  )
}

/**
 * The effect was sent, without a definitive answer. A keyed or fenced sink settles the doubt at the
 * next attempt; otherwise `reconcile` is asked.
 */
async function unanswered<Result>(layer: Layer, hold: Hold, begin: Begin, cause: unknown): Promise<RunOutcome<Result>> {
  const { sink, leaseMs } = layer.settings
  if (sink.kind !== 'plain') return retry('effect-unanswered', leaseMs, cause)
  return reconcile(layer, hold, begin, { reason: 'effect-unanswered', cause })
}
