/**
 * Decides whether something may have left a layer in doubt about a key, so that it was right to
 * dead-letter the message. The possible causes:
 *
 * - A request for the key left a process (`sink.perform` was called), and no final answer for the
 *   key (done, refused or accepted) came after it and before the delivery that dead-lettered the
 *   message began. A statement of a transactional sink that was not committed does not count once
 *   its delivery has answered or thrown.
 * - Records were lost, or a server was promoted that may lack some records. An expired record is a
 *   cause only for its own key.
 * - A window was exceeded: a delivery of the key was handled for longer than a lease, or the
 *   message was older than the retention when it was dead-lettered.
 * - The key came with two payloads, or two produced-at times, so that only one of its messages can
 *   be done. This is a cause once messages with both values have been delivered.
 * - A delivered message of the key has a produced-at time that differs from that of its key by more
 *   than the layer tolerates (`maxClockSkewMs`). The message then seems older than it is, or from
 *   the future.
 *
 * A wrong clock is also a cause, for the keys that it reaches (`clock-reach.ts`). It makes ages
 * wrong: a message seems older than the data or from the future, and a layer that executes the
 * message would guess.
 *
 * Three more causes apply because a layer may record the begin of its effect just before it calls
 * the sink, and then cannot know whether the effect happened:
 *
 * - A process crashed or died while it handled the key (possibly after it had recorded the begin
 *   and before it sent the request).
 * - A command or a reply of a process was lost while it handled the key, possibly the command that
 *   records the begin.
 * - A command may have been executed or answered too late for its caller (`delayed-commands.ts`).
 *
 * For a layer that declares that it leaves no effect in doubt on the run's sink, only some causes
 * count (`cannotBeSettledBySink`): payloads, produced-at times, clocks, and the age of the message
 * when it was dead-lettered.
 *
 * Once a later delivery has answered done, refused or accepted, causes in earlier deliveries no
 * longer count, because the later delivery settled the key.
 */
import type { RunHeader } from '../contract/api/history.ts'
import {
  type DeliveryRecord,
  type EventOf,
  endOfDelivery,
  type HistoryIndex,
  isOpenAt,
  type RequestRecord,
} from '../contract/api/history-index.ts'
import { keysNamedIn, standsAlone } from '../contract/results/keys-named-in.ts'
import { clockWentWrong } from './clock-reach.ts'
import { executedLate, wasDelayed } from './delayed-commands.ts'

function overran(delivery: DeliveryRecord, leaseUs: number, deadLettered: EventOf<'settled'>): boolean {
  const end = endOfDelivery(delivery)
  const untilUs = end && end.seq < deadLettered.seq ? end.atUs : deadLettered.atUs
  return untilUs - delivery.delivered.atUs > leaseUs
}

/**
 * When the key was produced: the publication of its first message, or its produced-at time if that
 * is earlier; undefined for a key that was never published. Every message of a key is as old as the
 * first.
 */
function producedAtUs(key: string, reading: HistoryIndex): number | undefined {
  const [first] = reading.ofKey('published', key)
  return first && first.atUs + 1000 * Math.min(0, first.producedAtOffMs ?? 0)
}

function lostMeanwhile(
  { delivered, ...ends }: DeliveryRecord,
  deadLetteredSeq: number,
  reading: HistoryIndex,
): boolean {
  return [...reading.of('reply-lost'), ...reading.of('request-lost')].some(
    (lost) =>
      lost.seq < deadLetteredSeq && lost.process === delivered.process && isOpenAt({ delivered, ...ends }, lost),
  )
}

const crashedDuring = ({ cutShort }: DeliveryRecord, deadLetteredSeq: number): boolean =>
  cutShort !== undefined && cutShort.how !== 'closed' && cutShort.seq < deadLetteredSeq

/** `seq` of the start of the delivery that dead-lettered the message. */
function beganToDeadLetter(deadLettered: EventOf<'settled'>, key: string, reading: HistoryIndex): number {
  const deadLettering = reading
    .deliveriesOf(key)
    .findLast(({ delivered }) => delivered.messageId === deadLettered.messageId && delivered.seq < deadLettered.seq)
  return deadLettering?.delivered.seq ?? deadLettered.seq
}

/**
 * `seq` of the last answer done, refused or accepted for the key before the delivery that
 * dead-lettered the message began; -1 if there was none.
 */
function settledBefore(key: string, beganSeq: number, reading: HistoryIndex): number {
  const answeredSeqs = reading
    .deliveriesOf(key)
    .flatMap(({ answered }) =>
      answered !== undefined && isFinal(answered) && answered.seq < beganSeq ? [answered.seq] : [],
    )
  return Math.max(-1, ...answeredSeqs)
}

/**
 * True for a statement of a transactional sink that was rolled back or never executed, and whose
 * delivery had answered or thrown before `beganSeq`.
 */
function isGivenUp({ delivery, applied }: RequestRecord, beganSeq: number, { sink }: RunHeader): boolean {
  const end = delivery?.answered ?? delivery?.threw
  return sink === 'transactional' && applied === undefined && end !== undefined && end.seq < beganSeq
}

/**
 * True if an abandoned command of the delivery's process was executed between `sinceSeq` and
 * `untilSeq`.
 */
const orphanReachedRedis = (
  { delivered: { process } }: DeliveryRecord,
  sinceSeq: number,
  untilSeq: number,
  reading: HistoryIndex,
): boolean => executedLate(reading).some((one) => one.seq > sinceSeq && one.seq < untilSeq && one.process === process)

/**
 * True if causes in this delivery still count. They do not count if the delivery had ended before
 * another delivery gave the last final answer for the key (`sinceSeq`). If this delivery gave the
 * last final answer, its causes count, because it may have failed to record its answer.
 */
const stillMatters = (
  delivery: DeliveryRecord,
  sinceSeq: number,
  deadLetteredSeq: number,
  reading: HistoryIndex,
): boolean =>
  (endOfDelivery(delivery)?.seq ?? Number.POSITIVE_INFINITY) >= sinceSeq ||
  orphanReachedRedis(delivery, sinceSeq, deadLetteredSeq, reading)

const isFinal = ({ outcome: { status } }: EventOf<'answered'>): boolean =>
  status === 'done' || status === 'refused' || status === 'accepted'

/**
 * A lost record concerns the keys that its name contains. If its name contains no key, it may
 * concern any key.
 */
export function lossMayConcern(key: string, { redisKeys, seq }: EventOf<'data-lost'>, reading: HistoryIndex): boolean {
  if (redisKeys === undefined) return true
  const messages = reading.of('published').filter((message) => message.seq < seq)
  return redisKeys.some((name) => {
    const named = keysNamedIn(name, messages)
    // The layer's name for this key may be another message's key. In case of doubt, the loss
    // counts.
    return named.size === 0 || named.has(key) || standsAlone(key, name)
  })
}

const recordsWereLost = (key: string, deadLetteredSeq: number, reading: HistoryIndex): boolean =>
  reading
    .of('data-lost')
    .some((lost) => lost.seq < deadLetteredSeq && (lost.cause !== 'expiry' || lossMayConcern(key, lost, reading)))

/**
 * True if the key was delivered with two payloads, two produced-at times, or a produced-at time
 * that the layer does not tolerate. Only delivered messages count, because no consumer has received
 * the others.
 */
function isContested(
  key: string,
  deadLetteredSeq: number,
  { maxClockSkewMs = 0 }: RunHeader,
  reading: HistoryIndex,
): boolean {
  const handed = reading
    .deliveriesOf(key)
    .flatMap(({ delivered }) => (delivered.seq < deadLetteredSeq ? [delivered] : []))
  if (new Set(handed.map(({ fingerprint }) => fingerprint)).size > 1) return true
  const offsets = handed.map(({ messageId }) => reading.ofMessage('published', messageId)[0]?.producedAtOffMs ?? 0)
  return new Set(offsets).size > 1 || offsets.some((offMs) => Math.abs(offMs) > maxClockSkewMs)
}

/**
 * True if the key came with two payloads, two produced-at times or a wrong produced-at time, or if
 * a wrong clock reached the key.
 */
function isMistaken(key: string, deadLettered: EventOf<'settled'>, header: RunHeader, reading: HistoryIndex): boolean {
  return isContested(key, deadLettered.seq, header, reading) || clockWentWrong(key, deadLettered, header, reading)
}

/**
 * True if no sink can settle the doubt: the message is older than the retention, or its payload or
 * its age is wrong.
 */
export function cannotBeSettledBySink(
  key: string,
  deadLettered: EventOf<'settled'>,
  header: RunHeader,
  reading: HistoryIndex,
): boolean {
  // The produced-at time has a resolution of one millisecond.
  const producedUs = (producedAtUs(key, reading) ?? 0) - 1000
  return deadLettered.atUs - producedUs > header.retentionMs * 1000 || isMistaken(key, deadLettered, header, reading)
}

/**
 * True if something happened before the dead-lettering that could have left the layer in doubt
 * about this key.
 */
export function mayBeInDoubt(
  key: string,
  deadLettered: EventOf<'settled'>,
  header: RunHeader,
  reading: HistoryIndex,
): boolean {
  const before = ({ seq }: { readonly seq: number }) => seq < deadLettered.seq
  const beganSeq = beganToDeadLetter(deadLettered, key, reading)
  const sinceSeq = settledBefore(key, beganSeq, reading)
  const mayMatter = (request: RequestRecord) =>
    request.sent.seq > sinceSeq && before(request.sent) && !isGivenUp(request, beganSeq, header)
  if (reading.requestsOf(key).some(mayMatter)) return true
  if (recordsWereLost(key, deadLettered.seq, reading)) return true
  if (reading.of('topology').some((changed) => before(changed) && changed.what === 'promoted')) return true
  if (cannotBeSettledBySink(key, deadLettered, header, reading)) return true
  return reading
    .deliveriesOf(key)
    .filter(({ delivered }) => before(delivered))
    .some(
      (delivery) =>
        stillMatters(delivery, sinceSeq, deadLettered.seq, reading) &&
        ((delivery.answered?.seq !== sinceSeq && overran(delivery, header.leaseMs * 1000, deadLettered)) ||
          crashedDuring(delivery, deadLettered.seq) ||
          lostMeanwhile(delivery, deadLettered.seq, reading) ||
          wasDelayed(delivery, deadLettered.seq, header, reading)),
    )
}
