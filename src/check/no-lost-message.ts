/**
 * The invariant: after all faults have healed and the run is at rest, every message is done,
 * refused, or dead-lettered with a reason, and every accepted message has its effect or the sink's
 * refusal.
 *
 * Messages are distinguished by id. A copy that the broker published has the id of its original, so
 * one good settlement is enough for both. Kinds of violations:
 *
 * - `given-up`: the broker's attempts ran out. This kind is also judged if the run spent its
 *   budget.
 * - `dead-lettered-without-reason`, and `handler-never-answers` (hanging-handlers.ts).
 * - `never-settled` and `accepted-and-forgotten`: judged only for complete runs. Such a run waits
 *   for every fault that heals and, if a message was accepted, for as long as the layer may take to
 *   recover.
 *
 * `payload-bound` judges the payload of the effect. Exceptions:
 *
 * - A message that the broker skipped is not a violation, because no layer can prevent the loss.
 * - If the broker gave up on a message before the recovery bound that the layer declares had passed
 *   since the last fault, the verdict is unknown.
 * - A message is not lost if a handler had answered for it too late for the broker
 *   (`answered-too-late.ts`).
 * - A message is not lost if its last handler threw because the sink had permanently refused it.
 *   The broker delivers such a message until it gives up, and no effect was due. The same holds if
 *   an earlier handler threw the refusal, and the last one answered `retry` because it may have met
 *   the lock of another attempt for the key.
 */
import type { History, RunHeader } from '../contract/api/history.ts'
import {
  type DeliveryRecord,
  type EventOf,
  endOfDelivery,
  type HistoryIndex,
  indexHistory,
  isOpenAt,
} from '../contract/api/history-index.ts'
import type { Outcome } from '../contract/api/message.ts'
import type { Invariant, Verdict, Violation } from '../contract/api/verdict.ts'
import { elapsedText, msText } from '../contract/results/time-text.ts'
import { answeredTooLate } from './answered-too-late.ts'
import { conclude } from './conclude.ts'
import { hangingHandlers } from './hanging-handlers.ts'
import { healedAtUs } from './healing.ts'

type Settled = EventOf<'settled'>

const isReason = ({ reason }: { readonly reason?: string }): boolean => reason !== undefined && reason.trim() !== ''
/** `dead-letter` is not included: only the broker dead-letters a message. */
const isGoodAnswer = ({ status }: Outcome): boolean => status === 'done' || status === 'refused'
const isGood = (settled: Settled): boolean =>
  settled.as === 'done' || settled.as === 'refused' || (settled.as === 'dead-lettered' && isReason(settled))

const isPromise = ({ status }: Outcome): boolean => status === 'accepted'

/**
 * True if the promise of `accepted` was kept: the sink has applied the key's effect, or permanently
 * refused it.
 */
const isDecided = (key: string, reading: HistoryIndex): boolean =>
  reading.standingOf(key).length > 0 || reading.ofKey('effect-refused', key).some(({ reason }) => reason === 'refused')

/** The first event of each message id, because a copy has the id of its original. */
function firstOfEach(published: readonly EventOf<'published'>[]): readonly EventOf<'published'>[] {
  const seen = new Set<string>()
  return published.filter(({ messageId }) => !seen.has(messageId) && seen.add(messageId))
}

function badEnding({ messageId, key, seq }: EventOf<'published'>, settled: Settled): Violation {
  const at = msText(settled.atUs)
  return settled.as === 'given-up'
    ? {
        kind: 'given-up',
        key,
        sentence: `the broker gave up on ${messageId} (key ${key}) at ${at}: its attempts ran out`,
        events: [seq, settled.seq],
      }
    : {
        kind: 'dead-lettered-without-reason',
        key,
        sentence: `${messageId} (key ${key}) was dead-lettered without a reason at ${at}`,
        events: [seq, settled.seq],
      }
}

/** True if the broker gave up before the recovery bound that the layer declares had passed. */
function isWithinBound(
  { atUs }: EventOf<'published'>,
  settled: Settled,
  { recoveryBoundFrom, recoveryBoundMs }: RunHeader,
  reading: HistoryIndex,
): boolean {
  if (recoveryBoundFrom !== 'layer') return false
  const quietUs = settled.atUs - Math.max(atUs, healedAtUs(reading))
  return quietUs <= recoveryBoundMs * 1000
}

/**
 * True if the sink permanently refused this payload, a delivery received the refusal and threw, and
 * the key has no effect. It was the last delivery of the message, unless that one was turned away.
 * Deliveries of the key in one process may share a request. In this case, the answer must have
 * arrived while the last delivery was open, and the delivery that sent the request must have thrown
 * as well.
 */
function isRefusedForGood(
  { messageId, key, fingerprint }: EventOf<'published'>,
  settled: Settled,
  { leaseMs }: RunHeader,
  reading: HistoryIndex,
): boolean {
  if (reading.standingOf(key).length > 0) return false
  const deliveries = reading.deliveriesOf(key)
  const last = deliveries.findLast(({ delivered }) => delivered.messageId === messageId && delivered.seq < settled.seq)
  if (last === undefined) return false
  const refusals = reading
    .requestsOf(key)
    .filter(
      ({ sent, refused, answered }) =>
        sent.fingerprint === fingerprint && refused?.reason === 'refused' && answered?.answer === 'refused',
    )
  if (isTurnedAway(last, deliveries, leaseMs * 1000))
    return refusals.some(({ delivery }) => delivery?.threw !== undefined)
  if (last.threw === undefined) return false
  const { deliveryId, process } = last.delivered
  return refusals.some(
    ({ sent, delivery, answered }) =>
      sent.deliveryId === deliveryId ||
      (sent.process === process && isOpenAt(last, answered!) && delivery?.threw !== undefined),
  )
}

/**
 * True if the delivery was answered `retry` and may have met the lock of another delivery of its
 * key, which was open meanwhile, or had ended at most a lease before: its process died at work, or
 * it handled another message and its release was under way.
 */
function isTurnedAway(
  { delivered, answered }: DeliveryRecord,
  deliveries: readonly DeliveryRecord[],
  leaseUs: number,
): boolean {
  if (answered?.outcome.status !== 'retry') return false
  return deliveries.some((other) => {
    if (other.delivered.deliveryId === delivered.deliveryId || other.delivered.seq > answered.seq) return false
    const end = endOfDelivery(other)
    if (end === undefined || end.seq > delivered.seq) return true
    const isReleasing = end === other.cutShort || other.delivered.messageId !== delivered.messageId
    return isReleasing && answered.atUs - end.atUs <= leaseUs
  })
}

/**
 * `promised`: the event that settled the message as accepted. If the answer `accepted` came too
 * late for the broker, the event that settled the message as given up.
 */
const forgotten = (
  { messageId, key, seq }: EventOf<'published'>,
  promised: { readonly seq: number; readonly atUs: number },
  ended: EventOf<'ended'>,
): Violation => ({
  kind: 'accepted-and-forgotten',
  key,
  sentence:
    `${messageId} (key ${key}) was accepted at ${msText(promised.atUs)}, and the sink had neither applied nor refused its effect ` +
    `at the end of the run (${msText(ended.atUs)})`,
  events: [seq, promised.seq, ended.seq],
})

const never = ({ messageId, key, seq }: EventOf<'published'>, ended: EventOf<'ended'>): Violation => ({
  kind: 'never-settled',
  key,
  sentence: `${messageId} (key ${key}) was neither done, refused nor dead-lettered at the end of the run (${msText(ended.atUs)})`,
  events: [seq, ended.seq],
})

function judge(history: History): Verdict {
  const reading = indexHistory(history)
  const published = firstOfEach(reading.of('published'))
  const ended = reading.of('ended').at(-1)
  const whereSupported: Violation[] = []
  const atEnd: Violation[] = []
  let doubt: string | null = null
  const hanging = hangingHandlers(history, reading)

  for (const message of published) {
    const settlements = reading.ofMessage('settled', message.messageId)
    if (settlements.some(isGood) || hanging.keeps(message.messageId)) continue
    const bad = settlements.findLast(({ as }) => as !== 'passed-over')
    const tooLate = bad?.as === 'given-up' ? answeredTooLate(bad, message.key, reading) : []
    if (tooLate.some(isGoodAnswer)) continue
    const promised = settlements.find(({ as }) => as === 'accepted') ?? (tooLate.some(isPromise) ? bad : undefined)
    if (promised !== undefined) {
      if (ended && !isDecided(message.key, reading)) atEnd.push(forgotten(message, promised, ended))
      continue
    }
    if (bad?.as === 'given-up' && isRefusedForGood(message, bad, history.header, reading)) continue
    if (bad?.as === 'given-up' && isWithinBound(message, bad, history.header, reading))
      doubt ??= `the broker gave up on ${message.messageId} before the layer's bound of ${elapsedText(history.header.recoveryBoundMs)} had passed`
    else if (bad) whereSupported.push(badEnding(message, bad))
    else if (ended && settlements.length === 0) atEnd.push(never(message, ended))
  }
  return conclude(reading, { whereSupported: [...hanging.violations, ...whereSupported], atEnd, doubt })
}

export const noLostMessage: Invariant = {
  name: 'no-lost-message',
  about: 'Every message ends done, refused, or dead-lettered with a reason. Accepted messages are performed.',
  demand: 'Every message ends done, refused, or dead-lettered with a reason. Accepted messages are performed.',
  broken: 'a message was lost',
  remedies: {
    'given-up': "The layer should have answered done, refused or dead-letter before the broker's attempts ran out.",
    'dead-lettered-without-reason': 'A dead-lettered message should carry a reason for the person who resolves it.',
    'accepted-and-forgotten':
      'An accepted message should stay on record until the sink has answered; mark it as sent only then.',
    'handler-never-answers':
      'The handler should have answered or thrown: each wait needs a timeout, so that the broker can redeliver.',
    'never-settled': 'The message should have ended done, refused, or dead-lettered with a reason.',
  },
  judge,
}
