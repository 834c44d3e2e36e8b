/**
 * The kinds of `at-most-once`: why an effect happened twice. The kinds are tried in the order of
 * the list, and the first one that fits is used.
 *
 * There are two requests: `first` was sent first, and `again` was sent later. Either may have been
 * applied first. The kind depends on what could be known about the first attempt when `again` was
 * sent.
 *
 * 1. `repeat-after-loss`: records were lost by a restart, flush, eviction or failover since the
 *    older of the two attempts began. This kind is tried first because a layer cannot keep records
 *    that its store has lost. If the names of the lost keys are known, one of them must contain
 *    this key.
 * 2. `zombie`, returning late: the attempt behind `again` was older than the lease when it sent its
 *    request, and the first request was sent while this attempt ran. So another attempt had taken
 *    over, and the old attempt no longer held the key.
 * 3. `repeat-after-crash`: the first attempt's process ended before it had answered. (An expired
 *    record is not a loss here: leases are meant to expire.)
 * 4. `repeat-after-error`: the first caller received an error although the effect was applied, or
 *    its handler threw, answered `retry`, or gave up otherwise. This kind precedes the next
 *    `zombie` because the error usually comes before the lease ends.
 * 5. `zombie`, overtaken: the first attempt was still running, and had been running for longer than
 *    a lease.
 * 6. `repeat-after-loss` by expiry: the first attempt had answered `done` before the later one
 *    began, and a record had expired since.
 * 7. `duplicate`: two attempts ran at once, or nothing could excuse the repeat.
 *
 * A request that was sent while its process handled no delivery of the key has no delivery. Workers
 * and relays send such requests. The attempt lasts from the command that took the job from the
 * queue to the command that finished the job, if these commands are known (`Job`). Otherwise the
 * attempt has no lease.
 *
 * If a process had several deliveries of the key, the sender of a request is inferred. If all
 * candidates give the same kind, that is the kind. If the kinds differ, a crash or an error counts
 * if the request alone shows it; otherwise nothing excuses the repeat. The sentence then does not
 * name the delivery.
 *
 * A lease is measured from the delivery of the message on the clock of the simulation, because a
 * checker does not see locks. So the kind can be `zombie` instead of `duplicate` for a layer that
 * waits long for the key. The violation itself is certain.
 */
import type { HistoryEvent, Job, RunHeader } from '../contract/api/history.ts'
import type { EventOf, HistoryIndex } from '../contract/api/history-index.ts'
import { msText } from '../contract/results/time-text.ts'
import {
  type Attempt,
  type AttemptPair,
  heldSince,
  isKnown,
  isOfSeveral,
  isOneAttempt,
  pairOf,
  possiblePairs,
  type Repeat,
} from './repeat.ts'
import { afterExpiry, afterLoss } from './repeat-after-loss.ts'

const ageWhen = (attempt: Attempt, { atUs }: Pick<HistoryEvent, 'atUs'>): number => atUs - heldSince(attempt).atUs

function cameBackLate({ first, again, leaseUs }: AttemptPair): Repeat | null {
  if (again.job) return null
  const age = ageWhen(again, again.sent)
  if (again.delivery === first.delivery || age <= leaseUs || first.sent.seq < again.began.seq) return null
  const delivery = isOfSeveral(again) ? 'one of its deliveries of the key' : 'its delivery'
  const because = `${again.process} sent it ${msText(age)} after ${delivery}, longer than the run's lease of ${msText(leaseUs)}`
  return { kind: 'zombie', because, events: [again.began.seq, again.sent.seq] }
}

function afterCrash({ first, again }: AttemptPair): Repeat | null {
  const gone = first.delivery ? first.delivery.cutShort : first.request?.cutShort
  if (!gone || gone.how === 'closed' || gone.seq > again.sent.seq) return null
  const because = `${first.process} had ${gone.how} at ${msText(gone.atUs)} before it answered`
  return { kind: 'repeat-after-crash', because, events: [gone.seq] }
}

/**
 * `repeat-after-crash` for jobs: the process of the first attempt ended while it had the job, and
 * the job was taken again after that.
 */
function afterCrashWithJob({ first, again }: AttemptPair, reading: HistoryIndex): Repeat | null {
  const { job, process, sent } = first
  const gone = reading.of('process-ended').find((one) => one.process === process && one.how !== 'closed')
  if (job === undefined || gone === undefined || gone.seq < sent.seq || gone.seq >= takenSeq(again)) return null
  if (job.ended !== undefined && job.ended.seq <= gone.seq) return null
  const because = `${process} had ${gone.how} at ${msText(gone.atUs)} before it had finished the job`
  return { kind: 'repeat-after-crash', because, events: [gone.seq] }
}

const takenSeq = ({ job, sent }: Attempt): number => job?.seq ?? sent.seq

/** The kind if the transaction in which an attempt took its job was undone. */
function afterUndoing({ first, again }: AttemptPair): Repeat | null {
  const stale = [first, again].find(({ job, sent }) => job?.ended?.how === 'undone' && job.ended.seq <= sent.seq)
  if (stale !== undefined) {
    const because = `the transaction in which ${stale.process} had taken the job was over before it sent the effect`
    return { kind: 'zombie', because, events: [] }
  }
  const { ended } = first.job ?? {}
  if (ended?.how !== 'undone' || ended.atUs > heldSince(again).atUs) return null
  const because = `the transaction in which ${first.process} had taken the job did not commit, although its effect was applied`
  return { kind: 'repeat-after-error', because, events: [] }
}

function afterError({ first, again }: AttemptPair): Repeat | null {
  const until = first.job === undefined ? again.sent.seq : takenSeq(again)
  const before = <T extends HistoryEvent>(event: T | undefined) => (event && event.seq < until ? event : null)
  const reported = before(first.request?.answered)
  const answered = before(first.delivery?.answered)
  const threw = before(first.delivery?.threw)
  const kept = answered?.outcome.status === 'done' || answered?.outcome.status === 'accepted'
  const gaveUp = kept ? null : answered
  const [event, did] =
    reported?.answer === 'error' && answered?.outcome.status !== 'done'
      ? [reported, 'had got an error']
      : threw
        ? [threw, 'had thrown']
        : [gaveUp, `had answered ${gaveUp?.outcome.status}`]
  if (!event) return null
  const isOwn = event === reported || !isOfSeveral(first)
  const who = isOwn ? first.process : whoEnded(first)
  const because = `${who} ${did} at ${msText(event.atUs)}, although ${isOwn ? 'its' : 'the'} effect was applied`
  return { kind: 'repeat-after-error', because, events: [event.seq] }
}

function overtaken({ first, again, leaseUs }: AttemptPair): Repeat | null {
  if (first.job) return overtakenWithJob({ first, again, leaseUs })
  const end = first.delivery && (first.delivery.answered ?? first.delivery.threw)
  const age = ageWhen(first, again.sent)
  if (again.delivery === first.delivery || (end && end.seq < again.sent.seq) || age <= leaseUs) return null
  const ran = isOfSeveral(first)
    ? `still ran a delivery of the key ${msText(age)} after it arrived`
    : `still ran ${msText(age)} after its delivery`
  const because = `${first.process} ${ran}, longer than the run's lease of ${msText(leaseUs)}`
  return { kind: 'zombie', because, events: [first.began.seq, again.sent.seq] }
}

/**
 * `zombie` for jobs: another process took the job when the first attempt had had it for longer than
 * a lease and had not finished it.
 */
function overtakenWithJob({ first, again, leaseUs }: Omit<AttemptPair, 'key'>): Repeat | null {
  const { ended } = first.job!
  if (again.job === undefined || again.process === first.process) return null
  const age = again.job.atUs - first.job!.atUs
  if (age <= leaseUs || (ended && ended.atUs <= again.job.atUs)) return null
  const because = `${first.process} had not finished the job ${msText(age)} after it had taken it, longer than the run's lease of ${msText(leaseUs)}`
  return { kind: 'zombie', because, events: [] }
}

function duplicate(pair: AttemptPair): Repeat {
  const { first, again } = pair
  const end = first.delivery?.answered
  const outside = [first, again].filter(({ delivery }) => delivery === undefined)
  const within =
    isOfSeveral(first) || isOfSeveral(again) ? 'while it handled several deliveries' : 'within one delivery'
  const because =
    first.job && again.job
      ? jobsText(pair, first.job, again.job)
      : outside.length === 2
        ? 'both were sent outside of any delivery of the key'
        : outside.length === 1
          ? `${outside[0]!.process} sent it outside of any delivery of the key`
          : again.delivery === first.delivery
            ? `${again.process} sent it twice ${within}`
            : end && isKnown(first) && end.seq < again.began.seq
              ? `${whoEnded(first)} had answered ${end.outcome.status} at ${msText(end.atUs)}`
              : 'two deliveries of the key were being handled at once'
  return { kind: 'duplicate', because, events: [first.began.seq, again.began.seq] }
}

function jobsText(pair: AttemptPair, one: Job, other: Job): string {
  const { first, again } = pair
  if (isOneAttempt(pair)) return `${again.process} sent it twice for one job`
  const isFinished = one.ended?.how === 'finished' && one.ended.atUs <= other.atUs
  if (isFinished) return `${first.process} had finished the job, and ${again.process} took it again`
  return first.process === again.process
    ? `${again.process} took the job twice at once`
    : `${first.process} and ${again.process} had the job at once`
}

/** A text for the delivery that answered or threw. */
const whoEnded = (attempt: Attempt): string =>
  isOfSeveral(attempt) ? `a delivery of the key in ${attempt.process}` : attempt.process

/** `one` and `other`: two effects of one key and fingerprint. */
export function kindOfRepeat(
  header: RunHeader,
  reading: HistoryIndex,
  one: EventOf<'effect-applied'>,
  other: EventOf<'effect-applied'>,
): Repeat {
  const known = pairOf(header.leaseMs, reading, one, other)
  const hasLease = known.first.job === undefined || !header.lacks.includes('lease')
  const pair = hasLease ? known : { ...known, leaseUs: Number.POSITIVE_INFINITY }
  const kinds = new Set(possiblePairs(pair).map((possible) => repeatOf(possible, reading, header).kind))
  return kinds.size === 1 ? repeatOf(pair, reading, header) : kindBySenders(pair, kinds)
}

const repeatOf = (pair: AttemptPair, reading: HistoryIndex, header: RunHeader): Repeat =>
  afterLoss(pair, reading, header) ??
  cameBackLate(pair) ??
  afterCrashWithJob(pair, reading) ??
  afterCrash(pair) ??
  afterUndoing(pair) ??
  afterError(pair) ??
  overtaken(pair) ??
  afterExpiry(pair, reading) ??
  duplicate(pair)

/**
 * The kind if the candidate deliveries give different `kinds`. A crash or an error counts only if
 * the first request shows it without its delivery.
 */
function kindBySenders(pair: AttemptPair, kinds: ReadonlySet<string>): Repeat {
  const alone = { ...pair, first: { ...pair.first, delivery: undefined } }
  return (
    [afterCrash(alone), afterError(alone)].find((repeat) => repeat !== null && kinds.has(repeat.kind)) ??
    duplicate(pair)
  )
}
