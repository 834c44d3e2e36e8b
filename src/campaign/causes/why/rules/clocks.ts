/** Rules about scripts that rely on a time which their client passes, if that time was wrong. */

import { epochMs } from 'virtual-node/kernel'
import { clockWasOffBy } from '../../../../check/clock-reach.ts'
import { type Attempt, isOfSeveral } from '../../../../check/repeat.ts'
import { durationText } from '../../../../contract/results/time-text.ts'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { commandsOf, isShared, replyClass } from '../../deciding-step.ts'
import { answersTo } from '../answer-again.ts'
import { isScript, keysNamedBy, nameOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { atUsOf, sharesKey } from '../fate.ts'
import { passedMs, producedAtsOf, withTimes } from '../passed-times.ts'

/** Smaller differences are caused by latency or rounding. */
const leewayMs = 1000
/**
 * The minimum difference if a fault changed the clock. A step of a second minus the latency of the
 * command is at least this long.
 */
const leastOffMs = 500

interface Off {
  readonly command: ExecutedCommand
  /** How far the passed time was ahead of the time of execution, in milliseconds. */
  readonly aheadMs: number
  /**
   * True if the time was correct at some moment after the process had received the key, but
   * outdated when the script was executed, even if no clock was changed.
   */
  readonly isOld: boolean
}

/**
 * Two attempts ran at once, because a script that both had called relied on a wrong time. The rule
 * executes the script again on the same keys: with the passed time, the reply must be the same, and
 * with the time of execution, the reply must differ.
 */
export const decidedByClientTime: Rule = (evidence) => {
  const { attempts, violation } = evidence
  if (attempts === null || !/^(duplicate|zombie)$/.test(violation.kind)) return null
  const { first, again } = attempts
  return wrongTimeText(again, first, evidence) ?? wrongTimeText(first, again, evidence)
}

/**
 * The attempt's last script with the same label as its first script. Null if the process had
 * another delivery of the key, to which the script may belong.
 */
export function scriptThatLetIn(attempt: Attempt, { executed, reading }: Evidence): ExecutedCommand | null {
  const { sent, delivery } = attempt
  if (delivery === undefined || isOfSeveral(attempt)) return null
  const own = commandsOf(delivery, sent.seq, executed, reading).filter((one) => isScript(one) && !isUnknown(one))
  if (own.some((one) => isShared(one, delivery, reading))) return null
  return own.findLast(({ label }) => label === own[0]!.label) ?? null
}

/**
 * True if the server did not know the script by its SHA-1: nothing was executed, although another
 * command of the run contains the body.
 */
export const isUnknown = ({ reply }: ExecutedCommand): boolean => replyClass(reply) === 'error NOSCRIPT'

/**
 * The reason, if the script let the attempt in because of a wrong time. `attempt`: the attempt that
 * sent the script.
 */
function wrongTimeText(attempt: Attempt, other: Attempt, evidence: Evidence): string | null {
  const script = scriptThatLetIn(attempt, evidence)
  if (script === null) return null
  const keys = new Set(keysNamedBy(script))
  const asked = evidence.executed
    .slice(0, evidence.executed.indexOf(script) + 1)
    .filter((one) => sharesKey(one, keys) && !isUnknown(one))
  const producedAts = producedAtsOf(evidence)
  const off = asked.flatMap((command) => offOf(command, producedAts, evidence) ?? [])
  if (off.length === 0) return null
  const given = answersTo(asked, evidence)
  if (given === null || asked.some(({ reply }, at) => replyClass(reply) !== given[at])) return null
  const own = off.filter(({ command }) => command === script)
  const others = off.filter(({ command }) => command.process === other.process && command.seq > other.began.seq)
  for (const [some, whose] of [
    [own, 'its client passed'],
    [others, 'the client of the other attempt had passed'],
  ] as const) {
    const [first] = some
    if (first === undefined) continue
    const right = new Map(some.map(({ command, aheadMs }) => [command, withTimes(command, -aheadMs, producedAts)]))
    const answer = answersTo(
      asked.map((one) => right.get(one) ?? one),
      evidence,
    )?.at(-1)
    if (answer === undefined || answer === given.at(-1)) continue
    return `${nameOf(script)} decided by a time that ${whose}, ${offText(first)}: by the true time it would have answered ${answer}`
  }
  return null
}

/**
 * How wrong the passed time was; null if the command is not a script, passes no time, or passes one
 * that is accurate enough.
 */
function offOf(
  command: ExecutedCommand,
  producedAts: ReturnType<typeof producedAtsOf>,
  evidence: Evidence,
): Off | null {
  const passed = isScript(command) ? passedMs(command, producedAts) : null
  if (passed === null) return null
  const aheadMs = passed - epochMs - atUsOf(evidence, command) / 1000
  if (Math.abs(aheadMs) < leastOffMs) return null
  const isOld = -aheadMs >= leewayMs && cameLate(command, passed, evidence)
  return isOld || isOnClock(command, aheadMs, evidence) ? { command, aheadMs, isOld } : null
}

const isOnClock = (command: ExecutedCommand, aheadMs: number, evidence: Evidence): boolean =>
  clockWasOffBy(
    command.process,
    { aheadMs, leewayMs },
    { fromUs: handedUs(command, evidence), untilSeq: command.seq, untilUs: atUsOf(evidence, command) },
    evidence.history.header,
    evidence.reading,
  )

/**
 * True if the passed time lies between the delivery of the key to the process and the execution.
 */
const cameLate = (command: ExecutedCommand, passed: number, evidence: Evidence): boolean =>
  passed - epochMs >= handedUs(command, evidence) / 1000 - leewayMs &&
  passed - epochMs <= atUsOf(evidence, command) / 1000

/** The time at which the process first received the key. */
function handedUs({ process, seq }: ExecutedCommand, { reading, violation }: Evidence): number {
  const handed = reading
    .deliveriesOf(violation.key ?? '')
    .find(({ delivered }) => delivered.process === process && delivered.seq < seq)
  return handed?.delivered.atUs ?? Number.POSITIVE_INFINITY
}

function offText({ aheadMs, isOld }: Off): string {
  const much = durationText(Math.round(Math.abs(aheadMs) / 1000) * 1000)
  if (isOld) return `which was ${much} old when it was executed`
  return `which was ${much} ${aheadMs > 0 ? 'ahead' : 'behind'}, because the clock there was wrong`
}
