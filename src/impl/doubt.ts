/** A begun effect that nobody answers for: asks the caller's `reconcile`, where there is one, and records what it says. */
import type { Layer } from './layer.ts'
import type { Reconciled } from './options.ts'
import { type RunOutcome, retry } from './outcome.ts'
import { recordDone } from './record-done.ts'
import type { Claim } from './records.ts'

type InDoubt = Extract<RunOutcome<never>, { status: 'in-doubt' }>

/** Which begin is in doubt. */
interface Begin {
  readonly fence: number
  readonly nonce: string
}

export async function reconcile<Result>(
  layer: Layer,
  claim: Claim,
  begin: Begin,
  unasked: InDoubt,
): Promise<RunOutcome<Result>> {
  const { sink } = layer.settings
  if (sink.kind !== 'plain' || sink.reconcile === undefined) return unasked
  let answer: Reconciled
  try {
    answer = await sink.reconcile({ key: claim.key, payload: claim.payload, fence: begin.fence })
  } catch (cause) {
    return { status: 'in-doubt', reason: 'reconcile-failed', cause }
  }
  if (answer.status === 'unknown') return { status: 'in-doubt', reason: 'reconcile-unknown' }
  const repeated = unasked.reason === 'attempt-vanished'
  if (answer.status === 'applied') return recordDone(layer, claim, begin.fence, answer.result as Result, repeated)
  const reopened = await layer.records.reopen(claim, begin.fence, begin.nonce)
  return reopened.status === 'unreachable' ? retry('redis-unreachable', 0, reopened.error) : retry('barred', 0)
}
