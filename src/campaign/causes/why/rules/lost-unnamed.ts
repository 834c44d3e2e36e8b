/**
 * A rule about the loss of a record whose name does not contain the key (a hash of the key, a
 * bucket). A checker recognizes records only by their names, so the violation has another kind. The
 * executed commands prove the loss.
 */
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { isShared } from '../../deciding-step.ts'
import { keysNamedBy } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { fateOf, sharesKey } from '../fate.ts'
import { wasFree } from '../parts.ts'
import { isTaken, livesUntil, sendersAreKnown, wouldHaveStopped } from '../would-have-stopped.ts'
import { lossText } from './records.ts'

export const lostUnnamed: Rule = (evidence) => {
  const { decided, reading } = evidence
  if (decided === null || !sendersAreKnown(evidence)) return null
  for (const question of decided.steps.toReversed()) {
    // `lostMember` handles sets and sorted sets.
    if (/^(Z|SISMEMBER)/.test(question.label)) continue
    if (!wasFree(question) || isShared(question, decided.delivery, reading)) continue
    const fate = fateOf(evidence, question)
    if (fate.how === 'lost' && fate.was !== null && wouldStillExist(evidence, fate.was, question))
      return `${lossText(fate.lost, 'the data written for the key', evidence)}; so the next attempt performed again`
  }
  return null
}

/**
 * True if the process of the first attempt wrote the record during the attempt, in the same field
 * of a hash, and the record's time to live had not passed.
 */
function wouldStillExist(evidence: Evidence, was: ExecutedCommand, question: ExecutedCommand): boolean {
  const { process, began } = evidence.attempts!.first
  if (was.process !== process || was.seq <= began.seq || fieldOf(was) !== fieldOf(question)) return false
  const before = evidence.executed.slice(0, evidence.executed.indexOf(question))
  if (!isTaken(was, question, before, evidence) || !wouldHaveStopped(was, question, evidence)) return false
  const about = before.filter((one) => sharesKey(one, new Set(keysNamedBy(was))))
  return livesUntil(question, keepsItsTtl(was) ? about : about.slice(about.indexOf(was)), evidence)
}

/** True for a write that keeps an earlier time to live. */
const keepsItsTtl = ({ label, args }: ExecutedCommand): boolean =>
  label.startsWith('H') || args.some((one) => /^keepttl$/i.test(one))

const fieldOf = ({ label, args }: ExecutedCommand): string | null => (label.startsWith('H') ? (args[2] ?? null) : null)
