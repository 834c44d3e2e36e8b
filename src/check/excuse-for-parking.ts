/**
 * What can leave a layer in doubt about a key, so that parking its message is right.
 *
 * - a request for the key left a process (`sink.perform` was called);
 * - records were lost, or a server was promoted that may lack some, by which a new generation shows itself too;
 * - a window was overrun: a delivery of the key was handled for longer than a lease, or came later than the retention;
 * - poison: the key came with two payloads, so that only one of its messages can be done.
 *
 * Then clocks. A clock that went astray makes ages wrong: a message then seems older than the data, or from the future, and executing
 * it would be a guess.
 *
 * Two more, because a layer that goes past its point of no return just before it calls the sink cannot know better:
 *
 * - a process crashed or died while it handled the key (between the two, no request has left yet);
 * - a command or a reply of such a process was lost meanwhile, perhaps the one that went past that point.
 */
import type { RunHeader } from '../contract/history.ts'
import {
  type DeliveryRecord,
  type EventOf,
  endOfDelivery,
  type HistoryIndex,
  isOpenAt,
} from '../contract/history-index.ts'

function overran(delivery: DeliveryRecord, leaseUs: number, parked: EventOf<'settled'>): boolean {
  const end = endOfDelivery(delivery)
  const untilUs = end && end.seq < parked.seq ? end.atUs : parked.atUs
  return untilUs - delivery.delivered.atUs > leaseUs
}

function cameLate({ delivered }: DeliveryRecord, retentionUs: number, reading: HistoryIndex): boolean {
  const published = reading.ofMessage('published', delivered.messageId)[0]
  return published !== undefined && delivered.atUs - published.atUs > retentionUs
}

function lostMeanwhile({ delivered, ...ends }: DeliveryRecord, parkedSeq: number, reading: HistoryIndex): boolean {
  return [...reading.of('reply-lost'), ...reading.of('request-lost')].some(
    (lost) => lost.seq < parkedSeq && lost.process === delivered.process && isOpenAt({ delivered, ...ends }, lost),
  )
}

const crashedDuring = ({ cutShort }: DeliveryRecord, parkedSeq: number): boolean =>
  cutShort !== undefined && cutShort.how !== 'closed' && cutShort.seq < parkedSeq

/** Had anything happened before the parking that could have left the layer in doubt about this key? */
export function mayBeInDoubt(
  key: string,
  parked: EventOf<'settled'>,
  header: RunHeader,
  reading: HistoryIndex,
): boolean {
  const before = ({ seq }: { readonly seq: number }) => seq < parked.seq
  if (reading.ofKey('effect-sent', key).some(before)) return true
  if (reading.of('data-lost').slice(0, 1).some(before)) return true
  if (reading.of('topology').some((changed) => before(changed) && changed.what === 'promoted')) return true
  if (reading.of('fault-struck').some((struck) => before(struck) && struck.fault.startsWith('clock-'))) return true
  const payloads = reading.ofKey('published', key).filter(before)
  if (new Set(payloads.map(({ fingerprint }) => fingerprint)).size > 1) return true
  return reading
    .deliveriesOf(key)
    .filter(({ delivered }) => before(delivered))
    .some(
      (delivery) =>
        overran(delivery, header.leaseMs * 1000, parked) ||
        cameLate(delivery, header.retentionMs * 1000, reading) ||
        crashedDuring(delivery, parked.seq) ||
        lostMeanwhile(delivery, parked.seq, reading),
    )
}
