/**
 * A rule about two keys that share one record or lock, so that an attempt at the other key caused
 * the violation.
 */
import { endOfDelivery } from '../../../../contract/api/history-index.ts'
import { answerClass } from '../../deciding-step.ts'
import { nameOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { answerText, endText } from '../parts.ts'
import { type Meeting, meetingOf, meetText } from '../two-keys.ts'

export const twoKeysMeet: Rule = (evidence) => {
  const meeting = meetingOf(evidence)
  const text = meeting === null ? null : clauseOf(meeting, evidence)
  return text === null ? null : `${text}: ${meetText(meeting!, evidence)}`
}

function clauseOf(meeting: Meeting, evidence: Evidence): string | null {
  const { how, by, question } = meeting
  const name = `${nameOf(by)} of an attempt at another key`
  if (how === 'deleted')
    return `${name} deleted the data of the first attempt, and ${nameOf(question)} of the next attempt found nothing there`
  if (how === 'replaced')
    return `${name} wrote over the data of the first attempt, and ${answerText(question)} to the next attempt`
  return foundText(meeting, evidence)
}

function foundText({ by, question, other }: Meeting, { decided, violation }: Evidence): string | null {
  const outcome = decided!.delivery.answered?.outcome
  if (outcome === undefined) return null
  const met = `${nameOf(question)} found what ${nameOf(by)} of an attempt at another key had`
  const answer = `(it answered ${answerClass(question)})`
  if (outcome.status === 'retry') {
    const end = endOfDelivery(other)
    if (end === undefined || end.seq >= question.seq || other.answered?.outcome.status === 'done') return null
    return `${met} left there when it ${endText(other)} ${answer}, and the attempt was put off`
  }
  const without = /without-effect$/.test(violation.kind) ? ' without an effect' : ''
  return `${met} written ${answer}, and this attempt answered ${outcome.status}${without}`
}
