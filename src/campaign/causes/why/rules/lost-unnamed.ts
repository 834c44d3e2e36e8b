/**
 * A store lost what the second attempt asked for, under a name that tells of no key: a hash of it,
 * a bucket. The kind is then another one, since a checker sees names alone; what was executed
 * proves the loss.
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
    // Sets and sorted sets are for `lostMember`.
    if (/^(Z|SISMEMBER)/.test(question.label)) continue
    if (!wasFree(question) || isShared(question, decided.delivery, reading)) continue
    const fate = fateOf(evidence, question)
    if (fate.how === 'lost' && fate.was !== null && wouldHaveStood(evidence, fate.was, question))
      return `${lossText(fate.lost, 'the data written for the key', evidence)}; so the next attempt performed again`
  }
  return null
}

/**
 * The first attempt's process had written it since that began, in the same field of a hash, and it
 * was to live for longer.
 */
function wouldHaveStood(evidence: Evidence, was: ExecutedCommand, question: ExecutedCommand): boolean {
  const { process, began } = evidence.attempts!.first
  if (was.process !== process || was.seq <= began.seq || fieldOf(was) !== fieldOf(question)) return false
  const before = evidence.executed.slice(0, evidence.executed.indexOf(question))
  if (!isTaken(was, question, before, evidence) || !wouldHaveStopped(was, question, evidence)) return false
  const about = before.filter((one) => sharesKey(one, new Set(keysNamedBy(was))))
  return livesUntil(question, keepsLife(was) ? about : about.slice(about.indexOf(was)), evidence)
}

/** A time to live that was given before goes on. */
const keepsLife = ({ label, args }: ExecutedCommand): boolean =>
  label.startsWith('H') || args.some((one) => /^keepttl$/i.test(one))

const fieldOf = ({ label, args }: ExecutedCommand): string | null => (label.startsWith('H') ? (args[2] ?? null) : null)
