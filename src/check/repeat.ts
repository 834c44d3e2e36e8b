/**
 * Two attempts at the effect of one key, and the kind of repeat that `at-most-once` finds for them.
 */
import type { HistoryEvent, Job } from '../contract/api/history.ts'
import {
  type DeliveryRecord,
  type EventOf,
  type HistoryIndex,
  isInferred,
  type RequestRecord,
} from '../contract/api/history-index.ts'

/** The causes of lost records. */
type LossCause = EventOf<'data-lost'>['cause']

export interface Repeat {
  readonly kind: 'duplicate' | 'zombie' | 'repeat-after-crash' | `repeat-after-loss:${LossCause}` | 'repeat-after-error'
  /** The end of the violation's sentence. */
  readonly because: string
  /** `seq` of further events that prove the kind. */
  readonly events: readonly number[]
}

export interface Attempt {
  readonly process: string
  /** The event of the delivery; if the delivery is unknown, the event of sending the request. */
  readonly began: HistoryEvent
  readonly sent: HistoryEvent
  readonly request: RequestRecord | undefined
  readonly delivery: DeliveryRecord | undefined
  /**
   * The job that a worker or a relay had taken from a queue; if present, the attempt has no
   * delivery.
   */
  readonly job?: Job
}

/** When the attempt took its job or received its message. */
export const heldSince = ({ job, began }: Attempt): { readonly seq: number; readonly atUs: number } => job ?? began

/** True if both effects belong to one attempt. */
export const isOneAttempt = ({ first, again }: AttemptPair): boolean =>
  first.delivery === again.delivery && first.process === again.process && first.job?.seq === again.job?.seq

/**
 * True if the process of the attempt had several deliveries of the key, and any of them may have
 * sent the request.
 */
export const isOfSeveral = ({ request }: Attempt): boolean => request !== undefined && isInferred(request)

/** One attempt for each delivery that may have sent the request. */
const possible = (attempt: Attempt): readonly Attempt[] =>
  attempt.request?.senders?.map((delivery) => ({ ...attempt, delivery, began: delivery.delivered })) ?? [attempt]

export const possiblePairs = (pair: AttemptPair): AttemptPair[] =>
  possible(pair.first).flatMap((first) => possible(pair.again).map((again) => ({ ...pair, first, again })))

/** True if one delivery may have sent both requests. */
export const mayBeOne = (pair: AttemptPair): boolean =>
  possiblePairs(pair).some(({ first, again }) => first.delivery === again.delivery)

/**
 * True if the sending delivery is certain: only one delivery may have sent the request, or an
 * answer proves which one did.
 */
export const isKnown = ({ request }: Attempt): boolean => (request?.senders ?? []).length < 2

export interface AttemptPair {
  readonly key: string
  readonly leaseUs: number
  /** The attempt whose request was sent first. */
  readonly first: Attempt
  readonly again: Attempt
}

function attemptOf(reading: HistoryIndex, applied: EventOf<'effect-applied'>): Attempt {
  const request = reading.requests.get(applied.requestId)
  const delivery = request?.delivery
  const sent = request?.sent ?? applied
  const { job } = request?.sent ?? {}
  if (request !== undefined && job !== undefined) {
    const { delivery: _, senders: __, ...alone } = request
    return { process: applied.process, began: sent, sent, request: alone, delivery: undefined, job }
  }
  return { process: applied.process, began: delivery?.delivered ?? sent, sent, request, delivery }
}

export function pairOf(
  leaseMs: number,
  reading: HistoryIndex,
  one: EventOf<'effect-applied'>,
  other: EventOf<'effect-applied'>,
): AttemptPair {
  const [first, again] = [attemptOf(reading, one), attemptOf(reading, other)].sort((a, b) => a.sent.seq - b.sent.seq)
  return { key: one.key, leaseUs: leaseMs * 1000, first: first!, again: again! }
}
