/**
 * Rules about a script of another attempt that changed a completed record before the next attempt
 * read it.
 */

import { isKnown } from '../../../../check/repeat.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { replyClass } from '../../deciding-step.ts'
import { answersTo } from '../answer-again.ts'
import { isScript, keysNamedBy, nameOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { sharesKey } from '../fate.ts'
import { answerText } from '../parts.ts'
import { isOf } from '../stood-beside.ts'
import { isUnknown, scriptThatLetIn } from './clocks.ts'

interface Asked {
  /** The script of the second attempt whose reply let it through. */
  readonly script: ExecutedCommand
  /** All commands about the keys of `script`, up to and including `script`. */
  readonly asked: readonly ExecutedCommand[]
  /** Scripts of other attempts about the first of these keys, after the first attempt was done. */
  readonly since: readonly ExecutedCommand[]
}

/** The evidence; null if the first attempt was not done. */
function askedAfterDone(evidence: Evidence): Asked | null {
  const { attempts, executed } = evidence
  const answered = attempts?.first.delivery?.answered
  if (attempts === null || answered?.outcome.status !== 'done' || !isKnown(attempts.first)) return null
  const script = scriptThatLetIn(attempts.again, evidence)
  if (script === null) return null
  const about = (names: readonly string[]) => {
    const keys = new Set(names)
    return executed.slice(0, executed.indexOf(script) + 1).filter((one) => sharesKey(one, keys) && !isUnknown(one))
  }
  const names = keysNamedBy(script)
  const since = about(names.slice(0, 1)).filter(
    (one) => isScript(one) && one.seq > answered.seq && !isOf(attempts.again, one, evidence),
  )
  return since.length === 0 ? null : { script, asked: about(names), since }
}

/**
 * Without another attempt's script, the script of the second attempt would have had another reply.
 * The rule executes the commands again to determine that reply.
 */
export const openedByScript: Rule = (evidence) => {
  const { script, asked, since } = askedAfterDone(evidence) ?? {}
  if (script === undefined) return null
  const given = answersTo(asked!, evidence)
  if (given === null || asked!.some(({ reply }, at) => replyClass(reply) !== given[at])) return null
  for (const opener of since!.toReversed()) {
    const without = answersTo(
      asked!.filter((one) => one !== opener),
      evidence,
    )?.at(-1)
    if (without !== undefined && without !== given.at(-1))
      return `${nameOf(opener)} of another attempt (it answered ${replyClass(opener.reply)}) opened the record of the first one, which was done: without it, ${nameOf(script)} would have answered ${without}`
  }
  return null
}

/**
 * Another attempt's script ran after the first attempt was done. This is not a reason, because the
 * repeated commands did not prove that the script let the next attempt through. Scripts that the
 * first attempt also sent are excluded, because every attempt sends them.
 */
export const scriptAfterDone: Rule = (evidence) => {
  const { script, since } = askedAfterDone(evidence) ?? {}
  if (script === undefined) return null
  const { attempts, executed } = evidence
  const usual = new Set(executed.flatMap((one) => (isOf(attempts!.first, one, evidence) ? [one.label] : [])))
  const opener = since!.findLast((one) => !usual.has(one.label))
  return opener === undefined
    ? null
    : `after the first attempt was done, ${nameOf(opener)} of another one answered ${replyClass(opener.reply)} about its record; then ${answerText(script)} to the next attempt`
}
