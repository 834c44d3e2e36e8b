/**
 * Rules about a first attempt that ended without a correct answer: its process died, or it received
 * an error.
 */
import { isOfSeveral, mayBeOne } from '../../../../check/repeat.ts'
import { changeOf } from '../commands.ts'
import { answerHeard, type Evidence, type Rule } from '../evidence.ts'
import { fateOf } from '../fate.ts'
import { passText, questionOf } from '../parts.ts'
import { isOf as isStepOf } from '../stood-beside.ts'

/** The process of the first attempt ended before it had answered. */
export const died: Rule = (evidence) => {
  const { attempts, violation } = evidence
  const question = questionOf(evidence)
  if (!isOf('repeat-after-crash', violation.kind) || attempts === null || question === null) return null
  const { delivery, request } = attempts.first
  const ended = delivery?.cutShort ?? request?.cutShort
  const passed = passText(evidence, question)
  if (ended === undefined || delivery === undefined || passed === null || isOfSeveral(attempts.first)) return null
  if (ended.seq > attempts.again.sent.seq) return null
  const how = ended.how === 'died' ? 'died of an error' : 'died'
  const unrecorded = wroteSince(evidence, attempts.first.sent.seq, ended.seq) ? '' : ' and before it had recorded it'
  return `the process ${how} after it had sent the effect${unrecorded}; ${passed}`
}

/**
 * The first attempt received an error or gave up, although the effect was applied. It may also have
 * been at work when the next one came: then it must have freed the key because of the error.
 */
export const tookForFailure: Rule = (evidence) => {
  const { attempts, violation } = evidence
  const question = questionOf(evidence)
  const isOverlap = violation.kind === 'zombie'
  if (!(isOverlap || isOf('repeat-after-error', violation.kind)) || attempts === null || question === null) return null
  const { delivery, request } = attempts.first
  const reported = request?.answered
  const heard = answerHeard(attempts)
  const ended = delivery?.threw ?? delivery?.answered
  if (delivery === undefined || delivery.answered?.outcome.status === 'done' || mayBeOne(attempts)) return null
  const fate = fateOf(evidence, question)
  const since = heard?.seq ?? attempts.first.sent.seq
  const gaveBack = fate.how === 'deleted' && isStepOf(attempts.first, fate.by, evidence) && fate.by.seq >= since
  const then = gaveBack ? 'the layer treated that as a failure and deleted its claim' : passText(evidence, question)
  if (then === null || (isOverlap && !(gaveBack && heard?.answer === 'error'))) return null
  if (heard?.answer === 'error')
    return heard.error?.startsWith('SinkTimeout')
      ? `the first attempt gave up before the sink had answered it, though the effect was applied; ${then}`
      : `the sink's answer to the first attempt was an error, though the effect was applied; ${then}`
  // The answer to the request is known. The actions of the attempt are unknown, because another
  // delivery of its process may have sent the request.
  if (isOfSeveral(attempts.first)) return null
  const unrecorded = wroteSince(evidence, since, ended?.seq) ? '' : ' before the effect was recorded'
  if (ended !== undefined && (reported === undefined || reported.seq > ended.seq))
    return `the first attempt gave up before the sink had answered it; ${gaveBack ? 'it deleted its claim' : then}`
  if (heard?.answer === 'receipt' && ended !== undefined)
    return `the first attempt had its receipt, and then failed${unrecorded}; ${gaveBack ? 'it deleted its claim' : then}`
  return null
}

/**
 * Also true for a kind of loss, except expiry. `lostByRedis` comes before these rules. If it did
 * not apply, the loss was not the reason for the second effect.
 */
const isOf = (kind: string, own: string): boolean => own === kind || /^repeat-after-loss:(?!expiry)/.test(own)

/**
 * True if the process of the first attempt wrote anything between the two events, under any key.
 */
function wroteSince({ attempts, executed }: Evidence, seq: number, until = Number.POSITIVE_INFINITY): boolean {
  return executed.some(
    (one) =>
      one.process === attempts!.first.process &&
      one.seq > seq &&
      one.seq <= until &&
      /^(written|unknown)$/.test(changeOf(one)),
  )
}
