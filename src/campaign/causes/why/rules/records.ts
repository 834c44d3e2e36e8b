/** Rules about a record that had disappeared when an attempt asked for it. */
import { isKnown, isOfSeveral } from '../../../../check/repeat.ts'
import type { HistoryEvent } from '../../../../contract/api/history.ts'
import type { EventOf } from '../../../../contract/api/history-index.ts'
import { standsAlone } from '../../../../contract/results/keys-named-in.ts'
import { durationText } from '../../../../contract/results/time-text.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { changeOf, isClaim, isLook, isScript, keysNamedBy, lifetimeOf, nameOf, ttlText } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { fateOf, isLostWith, nodeOf, sharesKey } from '../fate.ts'
import { changeAt, memberIn, textIn } from '../members.ts'
import { answerText, earlyText, questionOf, stopsNoAttempt, wasFree, whatIs } from '../parts.ts'
import { anotherRecordMayExist, isOf, unnamedRecordMayExist } from '../stood-beside.ts'

/** Redis lost the record. The violation shows the loss, and the lost keys if they are known. */
export const lostByRedis: Rule = (evidence) => {
  const { violation, history } = evidence
  if (!violation.kind.startsWith('repeat-after-loss:')) return null
  const lost = violation.events.map((seq) => history.events[seq]!).find((event) => event.type === 'data-lost')
  if (lost === undefined || lost.cause === 'expiry' || !wasMissed(lost, evidence)) return null
  const what = lost.redisKeys === undefined ? 'all data' : 'the data of the key'
  return `${lossText(lost, what, evidence)}; so the next attempt performed again`
}

/** The store lost an accepted message before its effect was sent. */
export const acceptedWasLost: Rule = (evidence) => {
  const { decided, reading, violation } = evidence
  const { kind, key } = violation
  if (kind !== 'accepted-and-forgotten' || decided === null || key === null) return null
  const lost = reading
    .of('data-lost')
    .find(
      ({ seq, cause, redisKeys }) =>
        seq > decided.delivery.delivered.seq &&
        cause !== 'expiry' &&
        redisKeys?.some((name) => standsAlone(key, name)) === true,
    )
  if (lost === undefined) return null
  return `${lossText(lost, 'the record of the key', evidence)}; so its effect was forgotten`
}

/**
 * True if the attempt's questions might have found the record without the loss: the record existed
 * before the loss, and neither earlier commands nor the first attempt had deleted the record. False
 * if the attempt had read before anything was written, because then the loss did not matter. True
 * if the questions are unknown.
 */
function wasMissed(lost: EventOf<'data-lost'>, evidence: Evidence): boolean {
  const { attempts, decided, executed } = evidence
  if (decided === null || decided.shared) return true
  const { steps } = decided
  if (steps.length === 0 && lost.node !== 'postgres' && executed.length > 0)
    return attempts === null || isOfSeveral(attempts.again)
  const questions = steps.filter(
    (one) => (isLook(one) || isClaim(one) || isScript(one)) && !stopsNoAttempt(one, evidence),
  )
  if (questions.length === 0) return true
  return questions.some((question) => {
    if (question.seq <= lost.seq) return false
    if (!isScript(question) && !wasFree(question)) return foundOlder(question, lost, evidence)
    const keys = keysNamedBy(question)
    const isLost = lost.redisKeys === undefined ? null : keys.some((key) => lost.redisKeys!.includes(key))
    const changed = executed
      .slice(0, executed.indexOf(question))
      .filter(({ seq, process }) => seq <= lost.seq || process === attempts?.first.process)
      .findLast((one) => !steps.includes(one) && sharesKey(one, new Set(keys)) && changeOf(one) !== 'none')
    return isLost !== false && (changed === undefined ? isLost === true : changeOf(changed) !== 'deleted')
  })
}

/**
 * The first attempt wrote to one server, and the read went to another server that had not received
 * the write.
 */
export const replicaBehind: Rule = (evidence) => {
  const { attempts, decided, executed } = evidence
  if (attempts === null || decided === null || isOfSeveral(attempts.first)) return null
  for (const look of decided.steps.filter((one) => isLook(one) && wasFree(one)).toReversed()) {
    const asked = nodeOf(look, evidence)
    const member = memberIn(look)
    const written = executed
      .slice(0, executed.indexOf(look))
      .findLast((one) => sharesKey(one, new Set(keysNamedBy(look))) && changeAt(one, member ?? '') !== 'none')
    if (asked === null || written === undefined || changeAt(written, member ?? '') !== 'written') continue
    const node = nodeOf(written, evidence)
    if (node === null || node === asked || !isOf(attempts.first, written, evidence)) continue
    return `${nameOf(look)} of the next attempt asked ${asked}, which lacked the write of the first attempt to ${node}; so the next attempt performed again`
  }
  return null
}

/** True if the read found a value that had been overwritten before the loss. */
function foundOlder(look: ExecutedCommand, lost: EventOf<'data-lost'>, evidence: Evidence): boolean {
  const { executed } = evidence
  const value = textIn(look.reply)
  const member = memberIn(look) ?? ''
  const before = executed
    .slice(0, executed.indexOf(look))
    .filter((one) => sharesKey(one, new Set(keysNamedBy(look))) && changeAt(one, member) === 'written')
  const older = before.findLastIndex((one) => one.args.includes(value ?? ''))
  return value !== null && older !== -1 && before.slice(older + 1).some((one) => isLostWith(one, lost, evidence))
}

/** The loss in words. `what`: the lost record. */
export function lossText(lost: EventOf<'data-lost'>, what: string, evidence: Evidence): string {
  const reported = lost.acknowledged ? ', although its client had the reply to the write' : ''
  switch (lost.cause) {
    case 'failover':
      return `the failover promoted a server that did not have ${what}${defectText(lost, evidence)}${reported}`
    case 'split-brain':
      return `${what} went to a primary that had been replaced already, and was discarded`
    case 'restart':
      return `${lost.node === 'postgres' ? 'PostgreSQL' : 'Redis'} came back from its restart without ${what}${reported}`
    case 'flush':
      return `Redis was emptied, and ${what} with it`
    default:
      return `Redis evicted ${what} for lack of memory`
  }
}

const defectTexts = {
  'never-synced': ', since it had never synced with a primary',
  forgetful: ', since it had restarted without its data',
  'mid-resync': ', since it was in the middle of a full resync',
}

/** Why the promoted server did not have the record, if known. */
function defectText(lost: EventOf<'data-lost'>, { reading }: Evidence): string {
  const promoted = reading
    .of('topology')
    .findLast(({ what, other, seq }) => what === 'promoted' && other === lost.node && seq <= lost.seq)
  return (promoted?.defects ?? []).map((one) => defectTexts[one]).join('')
}

/** The sentence for an expired record about which nothing else is known. */
const whateverExpired = (evidence: Evidence): string =>
  `the data of the key expired after the first attempt was done, ${youngText(ageOf(evidence), evidence) ?? 'while deliveries of the message still came'}`

/**
 * A record expired after the first attempt was done. The deciding step read the record, or the
 * violation shows the expiry.
 */
export const expiredAfterDone: Rule = (evidence) => {
  const { attempts } = evidence
  if (attempts === null || !isKnown(attempts.first)) return null
  const question = questionOf(evidence)
  const answered = attempts.first.delivery?.answered
  if (answered?.outcome.status !== 'done') return null
  const fate = question === null ? null : fateOf(evidence, question)
  if (fate?.how === 'deleted' && wasFree(question!) && !isOf(attempts.first, fate.by, evidence)) return null
  if (fate?.how !== 'expired' || fate.lost.seq < answered.seq)
    return evidence.violation.kind === 'repeat-after-loss:expiry' &&
      !noExpiredKeyStops(evidence) &&
      !anotherRecordMayExist(evidence, shownLost(evidence))
      ? whateverExpired(evidence)
      : null
  // The last write was a script or a transaction, so it is unknown whether it wrote a claim or a
  // record.
  if (fate.was === null)
    return unnamedRecordMayExist(evidence, question!) || anotherRecordMayExist(evidence, new Set(fate.lost.redisKeys))
      ? null
      : whateverExpired(evidence)
  const what = whatIs(fate.was, evidence)
  const when = fate.early ? earlyText : ttlText(fate.lived)
  const older = what === 'record' ? overRetentionText(fate.lived, evidence) : null
  if (older !== null) return `the record expired${when}, ${older}`
  const only =
    what === 'claim' && !unnamedRecordMayExist(evidence, question!) ? ', and no record of the effect was there' : ''
  return `the ${what} expired${when}, while deliveries of the message still came${only}`
}

/**
 * A clause if the record had the whole retention as its time to live, but the message was older
 * than the retention. It mentions a wrong produced-at time. Null otherwise.
 */
function overRetentionText(lived: ExecutedCommand | null, evidence: Evidence): string | null {
  const { retentionMs } = evidence.history.header
  const lifetimeMs = lived === null ? null : lifetimeOf(lived)
  const age = ageOf(evidence)
  if (lifetimeMs === null || age === null || lifetimeMs < retentionMs || age.ageMs <= retentionMs) return null
  const older = `a message that was older than the retention of ${durationText(retentionMs)}`
  return youngText(age, evidence) ?? `and ${older} was performed again`
}

interface Age {
  /** The true age of the message when it was performed again. */
  readonly ageMs: number
  /** How far its produced-at time was ahead. */
  readonly offMs: number
}

function ageOf({ attempts, reading }: Evidence): Age | null {
  const { key, again } = attempts!
  const all = reading.ofKey('published', key)
  if (all[0] === undefined) return null
  const messageId = again.delivery?.delivered.messageId
  const offMs = all.find((one) => one.messageId === messageId)?.producedAtOffMs ?? 0
  return { ageMs: (again.began.atUs - all[0].atUs) / 1000, offMs }
}

/** Null unless the message was older than the retention, but younger by its produced-at time. */
function youngText(age: Age | null, { history }: Evidence): string | null {
  const { retentionMs } = history.header
  if (age === null || age.ageMs <= retentionMs || age.ageMs - age.offMs > retentionMs) return null
  return `and a message was performed again: its produced-at time, ${durationText(Math.round(age.offMs / 1000) * 1000)} ahead, made it younger than the retention of ${durationText(retentionMs)}`
}

/** True if no expired key would have stopped the attempt. */
function noExpiredKeyStops(evidence: Evidence): boolean {
  const lost = shownLost(evidence)
  const about = (evidence.decided?.steps ?? []).filter((one) => keysNamedBy(one).some((key) => lost.has(key)))
  return (
    about.some((one) => stopsNoAttempt(one, evidence)) &&
    !about.some((one) => isClaim(one) && !stopsNoAttempt(one, evidence))
  )
}

/** The lost keys that the violation shows. */
const shownLost = ({ violation, history }: Evidence): ReadonlySet<string> =>
  new Set(violation.events.flatMap((seq) => redisKeysOf(history.events[seq]!)))

const redisKeysOf = (event: HistoryEvent): readonly string[] => (event.type === 'data-lost' && event.redisKeys) || []

/** The record was deleted, by its writer or by another attempt. */
export const deleted: Rule = (evidence) => {
  const { attempts } = evidence
  const command = questionOf(evidence)
  if (attempts === null || command === null) return null
  const fate = fateOf(evidence, command)
  if (fate.how !== 'deleted' || !(wasFree(command) || isScript(command))) return null
  const what = whatIs(fate.was, evidence)
  const done = attempts.first.delivery?.answered
  if (fate.was === null) return null
  const { by, was } = fate
  const deletes = `${nameOf(by)} of`
  if (by.sentFor !== undefined && by.sentFor === attempts.again.request?.sent.deliveryId && was.sentFor !== by.sentFor)
    return `${deletes} the next attempt deleted the ${what} of the first, and it found the key free after that`
  if (was.process !== by.process)
    return `${deletes} one attempt (${by.process}) deleted the ${what} of another (${was.process}), and the next attempt found the key free`
  if (was.sentFor !== undefined && by.sentFor !== undefined && was.sentFor !== by.sentFor)
    return `${deletes} one attempt deleted the ${what} of another in its process (${by.process}), and the next attempt found the key free`
  if (done?.outcome.status !== 'done' || done.seq >= command.seq) return null
  if (!isOf(attempts.first, fate.by, evidence)) return null
  const then = unnamedRecordMayExist(evidence, command)
    ? `and ${isScript(command) ? answerText(command) : 'the next attempt found it free'}`
    : 'and no record of the effect was left for the next attempt'
  return `the first attempt deleted its ${what} when it was done, ${then}`
}
