/**
 * What can leave a layer in doubt about a key, so that parking its message is right.
 *
 * - a request for the key left a process (`sink.perform` was called), and nobody had answered for it when the parking
 *   delivery began: a key that is done or refused is in no doubt; nor is one whose statement, of a transactional sink, was
 *   not committed, once the delivery that had it has ended by itself;
 * - records were lost, or a server was promoted that may lack some, by which a new generation shows itself too; a record
 *   that expired is a cause for its own key only;
 * - a window was overrun: a delivery of the key was handled for longer than a lease, or the message was older than the retention
 *   when it was parked;
 * - poison: the key came with two payloads, or two births, so that only one of its messages can be done; it came once
 *   both had been handed to some consumer;
 * - a message of the key that was handed over is stamped with another time than the key's birth, by more than the layer
 *   says that it bears (`maxClockSkewMs`): it then seems older than it is, or from the future.
 *
 * Then clocks, as far as they reach (`clock-reach.ts`). A clock that went astray makes ages wrong: a message then seems
 * older than the data, or from the future, and executing it would be a guess.
 *
 * Three more, because a layer that goes past its point of no return just before it calls the sink cannot know better:
 *
 * - a process crashed or died while it handled the key (between the two, no request has left yet);
 * - a command or a reply of such a process was lost meanwhile, perhaps the one that went past that point;
 * - one may have been executed, or answered, too late for its caller (`delayed-commands.ts`).
 *
 * A layer that declares that it leaves nothing in doubt on the run's sink has fewer excuses (`isBeyondTheSink`): payloads,
 * births, stamps, clocks, and the age of the message when it was parked.
 *
 * What befell a delivery is no excuse once another one has answered done, refused or accepted after it: that one had the key.
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

function overran(delivery: DeliveryRecord, leaseUs: number, parked: EventOf<'settled'>): boolean {
  const end = endOfDelivery(delivery)
  const untilUs = end && end.seq < parked.seq ? end.atUs : parked.atUs
  return untilUs - delivery.delivered.atUs > leaseUs
}

/**
 * When the key was born, by its stamp where that is earlier; undefined for a key that nobody published. Every message of a key is
 * as old as the first.
 */
function bornUs(key: string, reading: HistoryIndex): number | undefined {
  const [first] = reading.ofKey('published', key)
  return first && first.atUs + 1000 * Math.min(0, first.stampOffMs ?? 0)
}

function lostMeanwhile({ delivered, ...ends }: DeliveryRecord, parkedSeq: number, reading: HistoryIndex): boolean {
  return [...reading.of('reply-lost'), ...reading.of('request-lost')].some(
    (lost) => lost.seq < parkedSeq && lost.process === delivered.process && isOpenAt({ delivered, ...ends }, lost),
  )
}

const crashedDuring = ({ cutShort }: DeliveryRecord, parkedSeq: number): boolean =>
  cutShort !== undefined && cutShort.how !== 'closed' && cutShort.seq < parkedSeq

/** When the delivery that parked the message began. */
function beganToPark(parked: EventOf<'settled'>, key: string, reading: HistoryIndex): number {
  const parking = reading
    .deliveriesOf(key)
    .findLast(({ delivered }) => delivered.messageId === parked.messageId && delivered.seq < parked.seq)
  return parking?.delivered.seq ?? parked.seq
}

/** When the key was last answered done or refused, before the parking delivery began; -1 where it was not. */
function settledBefore(key: string, beganSeq: number, reading: HistoryIndex): number {
  const answeredSeqs = reading
    .deliveriesOf(key)
    .flatMap(({ answered }) =>
      answered !== undefined && isFinal(answered) && answered.seq < beganSeq ? [answered.seq] : [],
    )
  return Math.max(-1, ...answeredSeqs)
}

/** A statement that was rolled back or never executed, and whose delivery had answered or thrown before. */
function isGivenUp({ delivery, applied }: RequestRecord, beganSeq: number, { sink }: RunHeader): boolean {
  const end = delivery?.answered ?? delivery?.threw
  return sink === 'transactional' && applied === undefined && end !== undefined && end.seq < beganSeq
}

/** Did a command of that process, on which its client had hung up or which outlived it, reach Redis between the answer and the parking? */
const strayedIn = (
  { delivered: { process } }: DeliveryRecord,
  sinceSeq: number,
  untilSeq: number,
  reading: HistoryIndex,
): boolean => executedLate(reading).some((one) => one.seq > sinceSeq && one.seq < untilSeq && one.process === process)

/**
 * Whether what befell a delivery may still matter: not where the key was answered for later, by another delivery that
 * had come to its end. (The one that answered may have failed to say so in its record.)
 */
const stillMatters = (delivery: DeliveryRecord, sinceSeq: number, parkedSeq: number, reading: HistoryIndex): boolean =>
  (endOfDelivery(delivery)?.seq ?? Number.POSITIVE_INFINITY) >= sinceSeq ||
  strayedIn(delivery, sinceSeq, parkedSeq, reading)

const isFinal = ({ outcome: { status } }: EventOf<'answered'>): boolean =>
  status === 'done' || status === 'refused' || status === 'accepted'

/** A record that expired concerns the keys that its name is made of; one whose name tells of no key may concern any. */
function recordsWereLost(key: string, parkedSeq: number, reading: HistoryIndex): boolean {
  const mayConcern = (name: string, seq: number) => {
    const named = keysNamedIn(
      name,
      reading.of('published').filter((message) => message.seq < seq),
    )
    // A layer's own name for this key may be another message's key: an excuse errs on the mild side.
    return named.size === 0 || named.has(key) || standsAlone(key, name)
  }
  return reading
    .of('data-lost')
    .filter(({ seq }) => seq < parkedSeq)
    .some(
      ({ cause, redisKeys, seq }) =>
        cause !== 'expiry' || redisKeys === undefined || redisKeys.some((name) => mayConcern(name, seq)),
    )
}

/** Nobody knows a message by what it is before some consumer has it. */
function isContested(
  key: string,
  parkedSeq: number,
  { maxClockSkewMs = 0 }: RunHeader,
  reading: HistoryIndex,
): boolean {
  const handed = reading.deliveriesOf(key).flatMap(({ delivered }) => (delivered.seq < parkedSeq ? [delivered] : []))
  if (new Set(handed.map(({ fingerprint }) => fingerprint)).size > 1) return true
  const stamps = handed.map(({ messageId }) => reading.ofMessage('published', messageId)[0]?.stampOffMs ?? 0)
  return new Set(stamps).size > 1 || stamps.some((offMs) => Math.abs(offMs) > maxClockSkewMs)
}

/** Two payloads or two births under the key, a stamp that is off, or a clock by which its age is judged wrongly. */
function isMistaken(key: string, parked: EventOf<'settled'>, header: RunHeader, reading: HistoryIndex): boolean {
  return isContested(key, parked.seq, header, reading) || clockWentWrong(key, parked, header, reading)
}

/** What no sink can settle: the message is past the retention, or what is known of it is wrong. */
export function isBeyondTheSink(
  key: string,
  parked: EventOf<'settled'>,
  header: RunHeader,
  reading: HistoryIndex,
): boolean {
  // The birth is stamped in whole milliseconds.
  const stampedUs = (bornUs(key, reading) ?? 0) - 1000
  return parked.atUs - stampedUs > header.retentionMs * 1000 || isMistaken(key, parked, header, reading)
}

/** Had anything happened before the parking that could have left the layer in doubt about this key? */
export function mayBeInDoubt(
  key: string,
  parked: EventOf<'settled'>,
  header: RunHeader,
  reading: HistoryIndex,
): boolean {
  const before = ({ seq }: { readonly seq: number }) => seq < parked.seq
  const beganSeq = beganToPark(parked, key, reading)
  const sinceSeq = settledBefore(key, beganSeq, reading)
  const mayMatter = (request: RequestRecord) =>
    request.sent.seq > sinceSeq && before(request.sent) && !isGivenUp(request, beganSeq, header)
  if (reading.requestsOf(key).some(mayMatter)) return true
  if (recordsWereLost(key, parked.seq, reading)) return true
  if (reading.of('topology').some((changed) => before(changed) && changed.what === 'promoted')) return true
  if (isBeyondTheSink(key, parked, header, reading)) return true
  return reading
    .deliveriesOf(key)
    .filter(({ delivered }) => before(delivered))
    .some(
      (delivery) =>
        stillMatters(delivery, sinceSeq, parked.seq, reading) &&
        ((delivery.answered?.seq !== sinceSeq && overran(delivery, header.leaseMs * 1000, parked)) ||
          crashedDuring(delivery, parked.seq) ||
          lostMeanwhile(delivery, parked.seq, reading) ||
          wasDelayed(delivery, parked.seq, header, reading)),
    )
}
