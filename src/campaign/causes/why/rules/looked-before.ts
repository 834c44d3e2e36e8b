/**
 * A rule about a read followed by a lock: another attempt wrote between the two, so the read missed
 * the write.
 */
import { isOfSeveral } from '../../../../check/repeat.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { isShared } from '../../deciding-step.ts'
import { foundNothing, isClaim, isLook, isScript, keysNamedBy, nameOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { fateOfKeys, sharesKey } from '../fate.ts'
import { wasFree, whatIs } from '../parts.ts'
import { isOf } from '../stood-beside.ts'

/**
 * The record of the first attempt existed when the second one got its claim. The second attempt had
 * read the key before the record was written, and sent no later command that may have read the key
 * again.
 */
export const lookedBeforeItsClaim: Rule = (evidence) => {
  const { attempts, decided } = evidence
  const claim = decided?.steps.findLast((one) => isClaim(one) && wasFree(one))
  if (attempts === null || isOfSeveral(attempts.again) || decided === null || claim === undefined) return null
  const look = decided.steps
    .slice(0, decided.steps.indexOf(claim))
    .findLast(
      (one) => isLook(one) && !isShared(one, decided.delivery, evidence.reading) && cameTooLate(evidence, one, claim),
    )
  if (look === undefined) return null
  return `the second attempt looked (${nameOf(look)}) before the first had written its record there, and did not look again once its claim (${nameOf(claim)}) was granted`
}

function cameTooLate(evidence: Evidence, look: ExecutedCommand, claim: ExecutedCommand): boolean {
  const keys = new Set(keysNamedBy(look))
  const { attempts, decided, executed } = evidence
  if (!foundNothing(look) || sharesKey(claim, keys)) return false
  const fate = fateOfKeys(evidence, keys, claim)
  if (fate.how !== 'written' || !isOf(attempts!.first, fate.by, evidence)) return false
  const writtenAt = executed.indexOf(fate.by)
  if (executed.indexOf(look) > writtenAt || whatIs(fate.by, evidence) !== 'record') return false
  return !decided!.steps.some((one) => executed.indexOf(one) > writtenAt && (sharesKey(one, keys) || isScript(one)))
}
