/**
 * Handles an effect that may have happened, and has no definite answer: calls the caller's
 * `reconcile`, if given, and records its answer.
 */
import { type Begin, doubtOf } from './in-doubt.ts'
import { needKnown } from './known-options.ts'
import type { Layer } from './layer.ts'
import { needFence, type Reconciled } from './options.ts'
import { type RunOutcome, retry } from './outcome.ts'
import { recordDone } from './record-done.ts'
import type { Claim } from './records.ts'

/** The valid answers of `reconcile`. Any other answer is treated as a failure. */
const answers: ReadonlySet<Reconciled['status']> = new Set(['applied', 'barred', 'unknown'])

type InDoubt = Extract<RunOutcome<never>, { status: 'in-doubt' }>
type Unasked = Pick<InDoubt, 'reason' | 'cause'>

export async function reconcile<Result>(
  layer: Layer,
  claim: Claim,
  begin: Begin,
  unasked: Unasked,
): Promise<RunOutcome<Result>> {
  const { sink, notify, unreachable } = layer.settings
  const { key, payload, producedAt } = claim
  // A record of a message from the future would expire while late copies can still be performed.
  if (unasked.reason === 'from-the-future') return { status: 'in-doubt', ...unasked }
  const doubt = doubtOf(key, producedAt, begin)
  const inDoubt = (why: Unasked): InDoubt => ({ status: 'in-doubt', ...why, doubt })
  if (sink.kind !== 'plain' || sink.reconcile === undefined) return inDoubt(unasked)
  let answer: Reconciled
  const { fence, by } = begin
  try {
    answer = await sink.reconcile({ key, payload, producedAt, reason: unasked.reason, fence, ...by })
    if (!answers.has(answer?.status))
      throw new TypeError(
        "reconcile answers { status: 'applied', result }, { status: 'barred' } or { status: 'unknown' }",
      )
    needKnown('reconcile', answer, ['status', 'result', 'highest'])
    if (answer.status === 'barred') needFence('reconcile', answer.highest)
  } catch (cause) {
    notify({ type: 'reconciled', key, fence, answer: 'failed' })
    return inDoubt({ reason: 'reconcile-failed', cause })
  }
  notify({ type: 'reconciled', key, fence, answer: answer.status })
  if (answer.status === 'unknown') return inDoubt({ reason: 'reconcile-unknown' })
  const repeated = unasked.reason !== 'effect-unanswered'
  if (answer.status === 'applied') return recordDone(layer, claim, begin.fence, answer.result as Result, repeated)
  const reopened = await layer.records.reopen(claim, begin, { highest: answer.highest, resetAttempts: false })
  if (reopened.status === 'reopened') notify({ type: 'reopened', key, fence })
  return reopened.status === 'unreachable' ? retry(unreachable, 0, reopened.error) : retry('barred', 0)
}
