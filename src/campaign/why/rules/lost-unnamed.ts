/**
 * A store lost what the second attempt asked for, under a name that tells of no key: a hash of it, a bucket. The kind is then
 * another one, since a checker sees names alone; what was executed proves the loss.
 */
import type { DeliveryRecord } from '../../../contract/history-index.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { isShared } from '../../deciding-step.ts'
import { isClaim, keysNamedBy, lifetimeOf, setsLife } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { atUsOf, fateOf, sharesKey } from '../fate.ts'
import { wasFree } from '../parts.ts'
import { lossText } from './records.ts'

export const lostUnnamed: Rule = (evidence) => {
  const { attempts, decided, violation, reading } = evidence
  if (attempts === null || decided === null || violation.kind.startsWith('repeat-after-loss:')) return null
  for (const question of decided.steps.toReversed()) {
    if (!wasFree(question) || isShared(question, decided.delivery, reading)) continue
    const fate = fateOf(evidence, question)
    if (fate.how === 'lost' && fate.was !== null && wouldHaveStood(evidence, fate.was, question))
      return `${lossText(fate.lost, 'what had been written for the key', evidence)}; so the next attempt performed again`
  }
  return null
}

/** The first attempt's process had written it since that began, in the same field of a hash, and it was to live for longer. */
function wouldHaveStood(evidence: Evidence, was: ExecutedCommand, question: ExecutedCommand): boolean {
  const { attempts, executed } = evidence
  const { process, began, delivery } = attempts!.first
  if (was.process !== process || was.seq <= began.seq || fieldOf(was) !== fieldOf(question)) return false
  if (!isClaim(was) && gaveUp(delivery)) return false
  const keys = new Set(keysNamedBy(was))
  const since = executed.slice(executed.indexOf(was) + 1, executed.indexOf(question))
  if (since.some((one) => setsLife(one) && sharesKey(one, keys))) return false
  const lifetimeMs = lifetimeOf(was)
  return lifetimeMs === null || atUsOf(evidence, question) - atUsOf(evidence, was) < lifetimeMs * 1000
}

/** What it wrote over its claim may then say that the key is free. */
export const gaveUp = (delivery: DeliveryRecord | undefined): boolean =>
  delivery?.threw !== undefined || (delivery?.answered !== undefined && delivery.answered.outcome.status !== 'done')

const fieldOf = ({ label, args }: ExecutedCommand): string | null => (label.startsWith('H') ? (args[2] ?? null) : null)
