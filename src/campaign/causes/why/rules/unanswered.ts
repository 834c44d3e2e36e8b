/**
 * A rule about an attempt that performed although the store had not replied, or had returned an
 * error.
 */
import { ErrorReply } from 'redis-sim/resp'
import { type Attempt, isOfSeveral } from '../../../../check/repeat.ts'
import { durationText } from '../../../../contract/results/time-text.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { replyClass } from '../../deciding-step.ts'
import { changeOf, foundNothing, isLook, isScript, nameOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { questionOf, wasFree } from '../parts.ts'
import { isOf } from '../stood-beside.ts'
import { whileAway } from '../unreachable.ts'

/**
 * The later attempt performed without a reply. Or the first attempt did, and left no record for the
 * later attempt to find.
 */
export const performedUnanswered: Rule = (evidence) => {
  const { attempts } = evidence
  if (attempts === null) return null
  const own = unansweredText('next', attempts.again, evidence)
  if (own !== null) return own
  const first = unansweredText('first', attempts.first, evidence)
  const question = questionOf(evidence)
  if (first === null || question === null || !wasFree(question)) return null
  const hasWritten = evidence.executed.some(
    (one) => one.seq < question.seq && isOf(attempts.first, one, evidence) && mayStay(one),
  )
  return hasWritten ? null : `${first}; ${nameOf(question)} of the next one found nothing`
}

const mayStay = (command: ExecutedCommand): boolean => /^(written|unknown)$/.test(changeOf(command))

/**
 * The reason, if the store had not replied to the attempt; null if it had, or if the reply to an
 * earlier command let the attempt perform.
 */
function unansweredText(which: 'first' | 'next', attempt: Attempt, evidence: Evidence): string | null {
  const { sent, process } = attempt
  if (sent.type !== 'effect-sent' || attempt.job || isOfSeveral(attempt)) return null
  const steps = evidence.executed.filter((one) => one.seq <= sent.seq && isOf(attempt, one, evidence))
  const { unanswered } = sent
  const asked =
    unanswered === undefined
      ? steps.at(-1)
      : steps.findLast(({ args }) => args.length === unanswered.args.length && isSame(args, unanswered.args))
  if (unanswered === undefined && !(asked?.reply instanceof ErrorReply)) return null
  if (steps.some((one) => one !== asked && letsPerform(one))) return null
  if (unanswered === undefined)
    return `${nameOf(asked!)} of the ${which} attempt was answered ${replyClass(asked!.reply)}, and it performed anyway`
  const [name] = unanswered.args
  const what = asked ?? ({ ...unanswered, label: name!.toUpperCase() } as Pick<ExecutedCommand, 'args' | 'label'>)
  const said = isScript(what) && asked === undefined ? 'its script' : `its ${nameOf(what as ExecutedCommand)}`
  const away = whileAway(evidence, process, attempt.began.seq, sent.seq)
  return `the ${which} attempt called the sink ${durationText(Math.round(unanswered.forUs / 1000))} after ${said}, without an answer to that${away}`
}

const isSame = (some: readonly string[], others: readonly string[]) => some.every((word, at) => word === others[at])

/**
 * True if the reply may let an attempt perform. The decision of a script is unknown, so its replies
 * are included.
 */
const letsPerform = (step: ExecutedCommand): boolean =>
  !(step.reply instanceof ErrorReply) &&
  (isScript(step) || (isLook(step) ? foundNothing(step) : changeOf(step) !== 'none'))
