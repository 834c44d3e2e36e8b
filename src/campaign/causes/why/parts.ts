/**
 * Parts that several rules share: what Redis contained, and why it did not stop the second attempt.
 */

import { ErrorReply } from 'redis-sim/resp'
import { isOfSeveral } from '../../../check/repeat.ts'
import type { DeliveryRecord } from '../../../contract/api/history-index.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { answerClass, replyClass } from '../deciding-step.ts'
import { renewalsIn } from '../renewals.ts'
import {
  changeOf,
  foundNothing,
  isClaim,
  isLook,
  isScript,
  isWrite,
  keysNamedBy,
  lifetimeOf,
  nameOf,
  ttlText,
} from './commands.ts'
import type { Evidence } from './evidence.ts'
import { type Fate, fateOf, sharesKey } from './fate.ts'
import { textIn } from './members.ts'
import { takeOverBy, takeOverText } from './take-over.ts'

/**
 * A write before the sink's answer is a claim; a later write is a record of the effect. A write
 * that lives for the retention or longer is a record even if it came before the answer, because no
 * work takes that long.
 */
export function whatIs(write: ExecutedCommand | null, { history, reading, violation }: Evidence): 'claim' | 'record' {
  const lifetimeMs = write === null ? null : lifetimeOf(write)
  if (lifetimeMs !== null && lifetimeMs >= history.header.retentionMs) return 'record'
  const answered = reading
    .requestsOf(violation.key ?? '')
    .filter(({ sent }) => write?.process === sent.process)
    .filter(({ sent }) => write?.sentFor === undefined || (sent.deliveryId ?? write.sentFor) === write.sentFor)
    .find(({ answered }) => answered !== undefined && answered.seq < write!.seq)
  return answered === undefined ? 'claim' : 'record'
}

/**
 * The attempt's question: the command whose reply let it perform. This is the last read or claim
 * that found the key free because a claim or record had disappeared. If there is none, it is the
 * last read, claim or script. A script about keys that the attempt had claimed before is not a
 * question, because it releases or extends the claims. Null if the attempt sent no command, or if
 * the sender of the question is unknown.
 */
export function questionOf(evidence: Evidence): ExecutedCommand | null {
  const { steps, command, shared } = evidence.decided ?? { steps: [], command: null, shared: false }
  if (evidence.attempts !== null && isOfSeveral(evidence.attempts.again)) return null
  if (command === null || (shared && !wasFree(command) && !isWrite(command))) return null
  const claimed = new Set<string>()
  const renewals = renewalsIn(steps, evidence.executed)
  const questions = steps.filter((one) => {
    if (stopsNoAttempt(one, evidence) || renewals.has(one)) return false
    const asks = isLook(one) || isClaim(one) || (isScript(one) && !sharesKey(one, claimed))
    if (isClaim(one) && wasFree(one)) for (const key of keysNamedBy(one)) claimed.add(key)
    return asks
  })
  const gone = questions.filter((one) => wasFree(one) && /^(expired|deleted)$/.test(fateOf(evidence, one).how))
  // An expired record is preferred, because a lock that its holder released is not the reason.
  const expired = gone.findLast((one) => isRecordThatExpired(fateOf(evidence, one), evidence))
  return expired ?? gone.at(-1) ?? questions.at(-1) ?? command
}

/**
 * True if the key stops no attempt. This attempt wrote the key, then read the value that the first
 * attempt had written, and performed anyway.
 */
export function stopsNoAttempt(question: ExecutedCommand, { attempts, decided, executed }: Evidence): boolean {
  const steps = decided?.steps ?? []
  const keys = new Set(keysNamedBy(question))
  if (attempts === null || changeOf(question) !== 'written') return false
  return steps.slice(steps.indexOf(question) + 1).some((look) => {
    const found = isLook(look) && sharesKey(look, keys) ? textIn(look.reply) : null
    return (
      found !== null &&
      executed.some(
        (one) =>
          one.process === attempts.first.process &&
          one.seq < question.seq &&
          !steps.includes(one) &&
          sharesKey(one, keys) &&
          changeOf(one) === 'written' &&
          one.args.includes(found),
      )
    )
  })
}

const isRecordThatExpired = (fate: Fate, evidence: Evidence): boolean =>
  fate.how === 'expired' &&
  fate.was?.process === evidence.attempts?.first.process &&
  whatIs(fate.was, evidence) === 'record'

/**
 * Why the reply to the question let the attempt through, as a clause after `; `. Null if the facts
 * do not show it.
 */
export function passText(evidence: Evidence, question: ExecutedCommand): string | null {
  const taken = evidence.attempts && takeOverBy(evidence.attempts.again, evidence)
  if (taken) return takeOverText(taken, evidence)
  if (question.session !== undefined) return `the next attempt performed after ${answerText(question, 'had answered')}`
  if (isScript(question))
    return `${nameOf(question)} then let the next attempt through (it answered ${replyClass(question.reply)})`
  const fate = fateOf(evidence, question)
  if (!wasFree(question)) return foundText(question, fate)
  const what = fate.how === 'expired' || fate.how === 'deleted' ? whatIs(fate.was, evidence) : 'claim'
  switch (fate.how) {
    case 'untouched':
      return `${nameOf(question)} of the next attempt found nothing`
    case 'expired':
      return `the ${what} expired${fate.early ? earlyText : ttlText(fate.lived)}, and the next attempt found the key free`
    case 'deleted':
      return `${nameOf(fate.by)} of ${fate.by.process} deleted the ${what}, and the next attempt found the key free`
    default:
      return null
  }
}

export const earlyText = " early, because Redis's clock went ahead"

/** True if the key was free: a read found nothing, or a claim was granted. */
export const wasFree = (command: ExecutedCommand): boolean =>
  isLook(command) ? foundNothing(command) : isClaim(command) && changeOf(command) === 'written'

function foundText(command: ExecutedCommand, fate: Fate): string | null {
  if (!isLook(command)) return null
  if (command.reply instanceof ErrorReply) return `${answerText(command)}, and the next attempt performed anyway`
  if (fate.how !== 'written') return null
  return `the next attempt found what was there (${answerText(command)}), and performed anyway`
}

/** The command and the class of its reply: `GET answered nothing`. */
export const answerText = (command: ExecutedCommand, answered = 'answered'): string =>
  `${nameOf(command)} ${answered} ${answerClass(command)}`

/** The commands of the delivery about the Redis keys of `like`, until the delivery ended. */
export function ownCommands(
  { executed }: Evidence,
  { delivered, answered, threw, cutShort }: DeliveryRecord,
  like: ExecutedCommand,
): ExecutedCommand[] {
  const keys = new Set(keysNamedBy(like))
  const until = (answered ?? threw ?? cutShort)?.seq ?? Number.POSITIVE_INFINITY
  return executed.filter(
    (one) =>
      one.process === delivered.process &&
      one.seq > delivered.seq &&
      one.seq <= until &&
      (one.sentFor === undefined || one.sentFor === delivered.deliveryId) &&
      sharesKey(one, keys),
  )
}

/**
 * The attempt that wrote the key. If the sender is unknown, it is the last attempt at the message
 * key that had begun in the same process.
 */
export function holderOf({ reading, violation }: Evidence, write: ExecutedCommand): DeliveryRecord | undefined {
  const sender = write.sentFor === undefined ? undefined : reading.deliveries.get(write.sentFor)
  if (sender !== undefined) return sender.delivered.key === violation.key ? sender : undefined
  return reading
    .deliveriesOf(violation.key ?? '')
    .findLast(({ delivered }) => delivered.process === write.process && delivered.seq < write.seq)
}

/** How an attempt ended. */
export function endText({ answered, threw, cutShort }: DeliveryRecord): string {
  if (answered !== undefined) return `answered ${answered.outcome.status}`
  if (threw !== undefined) return 'failed'
  return cutShort === undefined ? 'ended' : 'died'
}
