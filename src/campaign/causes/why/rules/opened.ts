/** A completed record that a script of another attempt opened again. */
import { isKnown } from '../../../../check/repeat.ts'
import { replyClass } from '../../deciding-step.ts'
import { answersTo } from '../answer-again.ts'
import { isScript, keysNamedBy, nameOf } from '../commands.ts'
import type { Rule } from '../evidence.ts'
import { sharesKey } from '../fate.ts'
import { isOf } from '../stood-beside.ts'
import { isUnknown, scriptThatLetIn } from './clocks.ts'

/** Played once more without that script, what the second attempt asked answers otherwise. */
export const openedByScript: Rule = (evidence) => {
  const { attempts, executed } = evidence
  const answered = attempts?.first.delivery?.answered
  if (attempts === null || answered?.outcome.status !== 'done' || !isKnown(attempts.first)) return null
  const script = scriptThatLetIn(attempts.again, evidence)
  if (script === null) return null
  const keys = new Set(keysNamedBy(script))
  const asked = executed.slice(0, executed.indexOf(script) + 1).filter((one) => sharesKey(one, keys) && !isUnknown(one))
  const since = asked.filter((one) => isScript(one) && one.seq > answered.seq && !isOf(attempts.again, one, evidence))
  const given = since.length === 0 ? null : answersTo(asked, evidence)
  if (given === null || asked.some(({ reply }, at) => replyClass(reply) !== given[at])) return null
  for (const opener of since.toReversed()) {
    const without = answersTo(
      asked.filter((one) => one !== opener),
      evidence,
    )?.at(-1)
    if (without !== undefined && without !== given.at(-1))
      return `${nameOf(opener)} of another attempt (it answered ${replyClass(opener.reply)}) opened the record of the first one, which was done: without it, ${nameOf(script)} would have answered ${without}`
  }
  return null
}
