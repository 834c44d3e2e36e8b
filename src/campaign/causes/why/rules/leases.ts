/** Rules about a lease that expired while its holder was working. */
import { type Attempt, isOfSeveral, mayBeOne } from '../../../../check/repeat.ts'
import type { HistoryEvent } from '../../../../contract/api/history.ts'
import { type EventOf, endOfDelivery, isOpenAt } from '../../../../contract/api/history-index.ts'
import { keysNamedIn } from '../../../../contract/results/keys-named-in.ts'
import { changeOf, isClaim, isScript, keysNamedBy, ttlText } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { type ExpiryBounds, expiryBounds } from '../expired-when.ts'
import { fateOf, sharesKey } from '../fate.ts'
import { answerText, earlyText, ownCommands, questionOf, wasFree, whatIs } from '../parts.ts'
import { anotherRecordMayExist } from '../stood-beside.ts'
import { takeOverBy, takeOverText } from '../take-over.ts'

/**
 * The second request belongs to the old holder. The reply to the holder's last read or claim was
 * outdated when the holder called the sink.
 */
export const holderCameLate: Rule = (evidence) => {
  const { attempts, decided, reading } = evidence
  const { command, steps = [], shared } = decided ?? {}
  if (attempts === null || command == null || shared) return null
  if (attempts.first.began.seq < attempts.again.began.seq) return null
  const { process, sent } = attempts.again
  const from = steps.findLast((one) => isClaim(one) && wasFree(one)) ?? command
  const expired = reading.of('data-lost').find(({ cause, seq, redisKeys = [] }) => {
    if (cause !== 'expiry' || seq < from.seq || seq >= sent.seq) return false
    const keys = new Set(redisKeys)
    const asked = steps.some((one) => one.seq > seq && sharesKey(one, keys))
    return !asked && steps.some((one) => sharesKey(one, keys)) && wasHeldBy(evidence, process, keys, seq)
  })
  if (expired === undefined || wasOnItsWay(evidence, process, from.seq)) return null
  const stood = stoodStill(evidence, process, from.seq, sent.seq)
  const what = command.seq > expired.seq ? 'and it did not check its claim again' : 'and no command checked it again'
  return `the lease ended while the holder ${stood ? 'stalled' : 'was still at work'}, ${what} before the effect`
}

/** Another attempt took over the claim of a working holder, because of a time in the claim. */
export const takenOverByTime: Rule = (evidence) => {
  if (evidence.attempts === null) return null
  const { first, again } = evidence.attempts
  for (const [taker, holder] of [
    [again, first],
    [first, again],
  ] as const) {
    const taken = takeOverBy(taker, evidence)
    if (taken === null || holder.delivery === undefined || isOfSeveral(holder)) continue
    const isHolders = taken.claim.process === holder.process && taken.claim.seq > holder.began.seq
    if (!isHolders || !isOpenAt(holder.delivery, taken.look)) continue
    const late = taker === first ? ', and performed after that anyway' : ''
    return takeOverText(taken, evidence, ` while its holder was still at work${late}`)
  }
  return null
}

/**
 * The first attempt is still open and its claim or record has expired, so the next attempt was let
 * through.
 */
export const takenOverAtWork: Rule = (evidence) => {
  const { attempts } = evidence
  const command = questionOf(evidence)
  if (attempts === null || command === null || isOfSeveral(attempts.first)) return null
  const { first } = attempts
  const end = first.delivery && endOfDelivery(first.delivery)
  if (first.delivery === undefined || (end !== undefined && end.seq < command.seq)) return null
  if (first.began.seq >= command.seq) return null
  const fate = fateOf(evidence, command)
  if (fate.how !== 'expired' || !(wasFree(command) || isScript(command))) return null
  if (fate.was !== null && fate.was.process !== first.process) return null
  // If the sink had answered before this attempt claimed the key, the answer belongs to an earlier
  // attempt of the process.
  const hadHeard = fate.was !== null && (first.request?.answered?.seq ?? Number.POSITIVE_INFINITY) < fate.was.seq
  const what = hadHeard ? whatIs(fate.was, evidence) : 'claim'
  const took = 'and the next attempt took the key'
  const who = what === 'claim' ? 'its holder' : 'the first attempt'
  if (fate.early) return `the ${what} expired${earlyText}, while ${who} was at work, ${took}`
  const expired = `the ${what} expired${ttlText(fate.lived)},`
  if (what === 'record') return `${expired} while ${who} was still at work, ${took}`
  const effect = effectText(first, expiryBounds(evidence, fate), fate.lost)
  if (effect !== null) return `${expired} ${effect}, ${took}`
  const asked = ownCommands(evidence, first.delivery, command).some(({ seq }) => seq > fate.lost.seq)
  return first.sent.seq > fate.lost.seq && !asked
    ? `${expired} while its holder was still at work: the next attempt took the key, and the holder did not check its claim again before its effect`
    : `${expired} while its holder was still at work, ${took}`
}

/**
 * The claim of the first attempt expired while that attempt was working, and other attempts took
 * the key in turn before the second attempt did.
 */
export const takenOverInTurn: Rule = (evidence) => {
  const { attempts, executed, reading } = evidence
  const command = questionOf(evidence)
  if (attempts === null || command === null || isOfSeveral(attempts.first) || !wasFree(command)) return null
  const { first } = attempts
  const end = first.delivery && endOfDelivery(first.delivery)
  if (first.delivery === undefined || (end !== undefined && end.seq < command.seq)) return null
  const keys = new Set(keysNamedBy(command))
  const claim = executed.findLast(
    (one) =>
      one.seq < command.seq &&
      isClaim(one) &&
      wasFree(one) &&
      sharesKey(one, keys) &&
      one.sentFor === first.delivery!.delivered.deliveryId,
  )
  const expired = reading
    .of('data-lost')
    .find(
      ({ cause, seq, redisKeys = [] }) =>
        cause === 'expiry' && claim !== undefined && seq >= claim.seq && redisKeys.some((key) => keys.has(key)),
    )
  if (claim === undefined || expired === undefined || expired.seq >= command.seq) return null
  return `the claim of the first attempt expired${ttlText(claim)}, while it was still at work, and others took the key one after the other`
}

/**
 * The progress of the holder's effect when its claim expired. Null if the effect had not been sent
 * or was complete, or if its progress is unknown.
 */
function effectText({ sent, request }: Attempt, bounds: ExpiryBounds, lost: EventOf<'data-lost'>): string | null {
  if (sent.atUs >= bounds.earliestUs || request?.applied === undefined) return null
  const isLater = ({ atUs, seq }: HistoryEvent) => atUs > bounds.latestUs || seq > lost.seq
  if (isLater(request.applied)) return 'while the effect of its holder was still under way'
  return request.answered === undefined || isLater(request.answered)
    ? 'before its holder had the receipt of its effect'
    : null
}

/**
 * True if the last known writer of the keys before `untilSeq` was the process. If no writer is
 * known, a script of the process about the keys is enough.
 */
function wasHeldBy({ executed }: Evidence, process: string, keys: ReadonlySet<string>, untilSeq: number): boolean {
  const before = executed.filter((one) => one.seq <= untilSeq && sharesKey(one, keys))
  const written = before.findLast((one) => changeOf(one) === 'written')
  const mine = written ?? before.findLast((one) => one.process === process && changeOf(one) === 'unknown')
  return mine?.process === process
}

/** True if the process sent another command that was never executed. */
function wasOnItsWay({ reading, attempts }: Evidence, process: string, fromSeq: number): boolean {
  const untilSeq = attempts!.again.sent.seq
  return reading
    .of('request-lost')
    .some((lost) => lost.process === process && lost.seq >= fromSeq && lost.seq < untilSeq)
}

/**
 * A certain fact, even if the owner of the deciding step is unknown: the key's record expired while
 * an attempt was working. The fact alone is not a reason.
 */
export const expiredAtWork: Rule = (evidence) => {
  const { attempts, reading, violation } = evidence
  if (violation.kind !== 'zombie' && violation.kind !== 'duplicate') return null
  if (attempts === null || mayBeOne(attempts)) return null
  const { first, again } = attempts
  const messages = reading.of('published')
  const concerns = (name: string) => keysNamedIn(name, messages).has(attempts.key)
  const expired = reading
    .of('data-lost')
    .find(
      (lost) =>
        lost.cause === 'expiry' &&
        (lost.redisKeys ?? []).some(concerns) &&
        [first, again].some((one) => one.delivery !== undefined && isOpenAt(one.delivery, lost)) &&
        [first, again].some((one) => one.sent.seq > lost.seq),
    )
  return expired !== undefined && !anotherRecordMayExist(evidence, new Set(expired.redisKeys))
    ? 'the data of the key expired while an attempt was at work, and two attempts performed'
    : null
}

/**
 * The last command was a script of the layer, and the first attempt worked for longer than a lease.
 * This is not a reason, because it repeats the deciding step and the definition of a zombie. The
 * run does not show why the script gave this reply.
 */
export const scriptGrantedAgain: Rule = ({ attempts, decided, violation }) => {
  const { command, shared } = decided ?? {}
  if (violation.kind !== 'zombie' || shared || attempts === null || command == null || !isScript(command)) return null
  const { first } = attempts
  if (isOfSeveral(first)) return null
  const end = first.delivery && endOfDelivery(first.delivery)
  if (first.began.seq >= command.seq || (end !== undefined && end.seq < command.seq)) return null
  return `the next attempt performed after ${answerText(command, 'had answered')}, while the first was still at work, for longer than its lease`
}

/**
 * The second request belongs to the old holder. Another attempt began and performed after the
 * holder's last command, and no expired record is involved. This is not a reason, because it is not
 * visible from outside why the other attempt was let through.
 */
export const holderAskedBefore: Rule = (evidence) => {
  const { attempts, decided, violation } = evidence
  const { command, shared } = decided ?? {}
  if (violation.kind !== 'zombie' || shared || attempts === null || command == null) return null
  const { first, again } = attempts
  if (isOfSeveral(first) || first.began.seq < command.seq || first.sent.seq > again.sent.seq) return null
  if (wasOnItsWay(evidence, again.process, command.seq)) return null
  const stood = stoodStill(evidence, again.process, command.seq, again.sent.seq)
  return `the holder ${stood ? 'stalled' : 'was at work'} after ${answerText(command, 'had answered')}, another attempt came and performed, and the holder did not check its claim again before its effect`
}

export function stoodStill({ reading }: Evidence, process: string, fromSeq: number, untilSeq: number): boolean {
  return reading
    .of('process-paused')
    .some((paused) => paused.process === process && paused.seq >= fromSeq && paused.seq < untilSeq)
}
