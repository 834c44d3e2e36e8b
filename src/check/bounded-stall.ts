/**
 * After all faults have healed, with no open request and no running holder, a layer must stop
 * answering `retry` within the bound that it declares plus one redelivery. The violation is
 * `retry-goes-on`. A throw counts as `retry`, because the broker treats it as `retry`.
 *
 * The time of a key starts at the last of these events: the last fault struck or healed; a message
 * of the key was published; the last request for the key was over (its caller had an answer or was
 * gone, and the sink had decided); the last holder was finished. A `retry` is too late if more than
 * the bound has passed since. A checker does not see locks. So a holder is any other delivery of
 * the key that did not end in `retry`. While a request or a holder is open, no `retry` is too late.
 * A statement of a transactional sink is a request after its transaction has committed; until then,
 * it is a part of its delivery. `retry-goes-on` is judged only for complete runs, because otherwise
 * a fault may still be open.
 *
 * If the layer declares how long a call of `handle` may take, a longer call has another kind,
 * `call-goes-on` (src/check/long-calls.ts).
 */
import type { History, HistoryEvent, RunHeader } from '../contract/api/history.ts'
import {
  type DeliveryRecord,
  type EventOf,
  endOfDelivery,
  type HistoryIndex,
  indexHistory,
  type RequestRecord,
} from '../contract/api/history-index.ts'
import type { Invariant, Verdict, Violation } from '../contract/api/verdict.ts'
import { elapsedText, msText } from '../contract/results/time-text.ts'
import { conclude } from './conclude.ts'
import { healedAtUs } from './healing.ts'
import { longCalls } from './long-calls.ts'

type Refusal = EventOf<'answered'> | EventOf<'threw'>

const retryOf = ({ answered, threw }: DeliveryRecord): Refusal | undefined =>
  answered?.outcome.status === 'retry' ? answered : threw

/**
 * When the request was over for caller and sink, in virtual microseconds; Infinity if it was not.
 */
function endOfRequest({ answered, cutShort, applied, refused, deduplicated }: RequestRecord): number {
  const decided = [applied, refused, deduplicated].flatMap((event) => (event ? [event.atUs] : []))
  return Math.max(answered?.atUs ?? cutShort?.atUs ?? Number.POSITIVE_INFINITY, ...decided)
}

/**
 * When a statement stopped blocking its key, in virtual microseconds. The end of a statement that
 * was rolled back or never executed is not recorded. Such a statement blocks the key only while its
 * delivery runs. A committed statement stops blocking when its caller continues without the answer
 * to COMMIT.
 */
function endOfStatement(request: RequestRecord): number {
  const { delivery, applied, answered } = request
  if (delivery === undefined) return endOfRequest(request)
  if (applied === undefined) return 0
  const end = answered ?? endOfDelivery(delivery)
  return Math.max(end?.atUs ?? Number.POSITIVE_INFINITY, applied.atUs)
}

/**
 * The time since which nothing had blocked the key when `refusal` (an answer `retry` or a throw)
 * came, in virtual microseconds; Infinity if a request or a holder still blocked the key.
 */
function quietSinceUs(
  key: string,
  refusal: HistoryEvent,
  reading: HistoryIndex,
  healedUs: number,
  { sink }: RunHeader,
): number {
  const since = [healedUs]
  const endOf = sink === 'transactional' ? endOfStatement : endOfRequest
  for (const { seq, atUs, copy } of reading.ofKey('published', key)) if (seq < refusal.seq && !copy) since.push(atUs)
  for (const request of reading.requestsOf(key)) if (request.sent.seq < refusal.seq) since.push(endOf(request))
  for (const delivery of reading.deliveriesOf(key)) {
    if (delivery.delivered.seq > refusal.seq || retryOf(delivery)) continue
    since.push(endOfDelivery(delivery)?.atUs ?? Number.POSITIVE_INFINITY)
  }
  return Math.max(...since)
}

/** The bound that applied and its origin, as text. */
const boundText = ({ recoveryBoundMs, recoveryBoundFrom, recoveryCapMs }: RunHeader): string =>
  recoveryBoundFrom === 'layer'
    ? `${elapsedText(recoveryBoundMs)} as the layer declares (default: ${elapsedText(recoveryCapMs)})`
    : `${elapsedText(recoveryCapMs)} by default of the scenario, since the layer declares none`

function judge(history: History): Verdict {
  const { recoveryBoundMs, redeliveryMs } = history.header
  const reading = indexHistory(history)
  const healedUs = healedAtUs(reading)
  const boundUs = (recoveryBoundMs + redeliveryMs) * 1000
  const stalled = new Map<string, Violation>()

  for (const delivery of reading.deliveries.values()) {
    const refusal = retryOf(delivery)
    const { key } = delivery.delivered
    if (!refusal || refusal.atUs - healedUs <= boundUs || stalled.has(key)) continue
    const sinceUs = quietSinceUs(key, refusal, reading, healedUs, history.header)
    if (refusal.atUs - sinceUs <= boundUs) continue
    stalled.set(key, {
      kind: 'retry-goes-on',
      key,
      sentence:
        `${refusal.process} still answered retry for ${key} at ${msText(refusal.atUs)}, although nothing had blocked it since ` +
        `${msText(sinceUs)}; the bound is ${boundText(history.header)}, plus one redelivery of ${elapsedText(redeliveryMs)}`,
      events: [delivery.delivered.seq, refusal.seq],
    })
  }
  return conclude(reading, { whereSupported: longCalls(history, reading), atEnd: [...stalled.values()] })
}

export const boundedStall: Invariant = {
  name: 'bounded-stall',
  about:
    'Once nothing blocks a key, retry answers end within the declared bound plus one redelivery. A call ends within its declared bound.',
  demand: 'Once nothing blocks a key, retry answers end within the declared bound.',
  broken: 'a message was delayed for too long',
  remedies: {
    'call-goes-on': 'The layer should have answered within its declared time, whatever its store does.',
    'retry-goes-on': 'The layer should have taken over the key within its declared bound.',
  },
  judge,
}
