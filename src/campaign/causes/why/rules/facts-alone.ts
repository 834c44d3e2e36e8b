/**
 * Rules that need only deliveries, requests to the sink, processes and faults, but not commands and
 * replies.
 */
import { isOfSeveral } from '../../../../check/repeat.ts'
import { answerHeard, type Evidence, type Rule } from '../evidence.ts'
import { stoodStill } from './leases.ts'

/**
 * The process of the first attempt ended after it had sent the effect, and before it had answered.
 */
export const diedAfterSending: Rule = ({ attempts, violation }) => {
  if (violation.kind !== 'repeat-after-crash' || attempts === null) return null
  const { delivery, request, sent } = attempts.first
  const ended = delivery?.cutShort ?? request?.cutShort
  return ended === undefined || ended.seq < sent.seq
    ? null
    : 'the process died after it had sent the effect, and a later attempt performed again'
}

/** The first attempt received an error or gave up, although the effect was applied. */
export const reportedAnError: Rule = ({ attempts, violation }) => {
  if (violation.kind !== 'repeat-after-error' || attempts === null) return null
  const { delivery, request } = attempts.first
  const reported = request?.answered
  if (answerHeard(attempts)?.answer === 'error')
    return "the sink's answer to the first attempt was an error, though the effect was applied, and a later attempt performed again"
  const ended = delivery?.threw ?? delivery?.answered
  return !isOfSeveral(attempts.first) && ended !== undefined && (reported === undefined || reported.seq > ended.seq)
    ? 'the first attempt gave up before the sink had answered it, and a later attempt performed again'
    : null
}

/** The second request belongs to an attempt that began before the other attempt and was paused. */
export const cameLate: Rule = (evidence: Evidence) => {
  const { attempts, violation } = evidence
  if (violation.kind !== 'zombie' || attempts === null) return null
  const { first, again } = attempts
  if (isOfSeveral(first) || isOfSeveral(again)) return null
  if (again.began.seq >= first.began.seq || !stoodStill(evidence, again.process, again.began.seq, again.sent.seq))
    return null
  return 'an attempt stalled, and sent its effect after a later attempt had sent its own'
}
