/** A rule about a WATCH that had ended before its EXEC. */
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { changeOf, keysNamedBy } from '../commands.ts'
import type { Rule } from '../evidence.ts'
import { atTheirExec } from '../executed-in-multi.ts'
import { sharesKey } from '../fate.ts'
import { isOf } from '../stood-beside.ts'

/**
 * If a watched key was written, Redis executes the EXEC only if the WATCH has ended. An EXEC of
 * another attempt on the same connection ends the WATCH.
 */
export const watchEnded: Rule = (evidence) => {
  const { attempts } = evidence
  if (attempts === null) return null
  const executed = atTheirExec(evidence.executed)
  const [first, again] = [attempts.first, attempts.again].map((one) =>
    executed.filter((command) => isOf(one, command, evidence)),
  )
  return isBlind(first!, again!, executed) || isBlind(again!, first!, executed)
    ? 'the EXEC of one attempt was executed, although the other attempt had written the key since its WATCH: another EXEC on the same connection had ended the WATCH'
    : null
}

/**
 * True if an attempt wrote by EXEC although the other attempt had written the key after the WATCH.
 */
function isBlind(
  own: readonly ExecutedCommand[],
  others: readonly ExecutedCommand[],
  executed: readonly ExecutedCommand[],
): boolean {
  const place = (one: ExecutedCommand) => executed.indexOf(one)
  return own.some((exec) => {
    const watch = own.findLast((one) => one.label === 'WATCH' && place(one) < place(exec))
    if (exec.label !== 'EXEC' || !Array.isArray(exec.reply) || watch === undefined) return false
    const keys = new Set(keysNamedBy(watch))
    return others.some(
      (one) =>
        changeOf(one) === 'written' && sharesKey(one, keys) && place(one) > place(watch) && place(one) < place(exec),
    )
  })
}
