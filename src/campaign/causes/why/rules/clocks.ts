/** A script that goes by the times that its clients pass, and a client whose time was off. */

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

/** Less than that is what a command takes on its way, or what was rounded. */
const leewayMs = 1000
/**
 * Of a clock that a fault had put off. A step of a second, less what the command took on its way,
 * is as much.
 */
const leastOffMs = 500

interface Off {
  readonly command: ExecutedCommand
  /** How far the time that was passed was ahead of that of the execution. */
  readonly aheadMs: number
  /**
   * It had come while the process had a delivery of the key: old by the execution, whatever the
   * clock did.
   */
  readonly isOld: boolean
}

/**
 * Two attempts were at work at once, since a script that both had asked went by a time that was
 * off: played once more on the same keys, it answers as it did, and with the time of the execution
 * in its place it answers otherwise.
 */
export const wentByClientsTime: Rule = (evidence) => {
  const { attempts, violation } = evidence
  if (attempts === null || !/^(duplicate|zombie)$/.test(violation.kind)) return null
  const { first, again } = attempts
  return hungOnTime(again, first, evidence) ?? hungOnTime(first, again, evidence)
}

/**
 * The last of those like its first one. Null where its process had another delivery of the key: it
 * may have been that one's.
 */
export function scriptThatLetIn(attempt: Attempt, { executed, reading }: Evidence): ExecutedCommand | null {
  const { sent, delivery } = attempt
  if (delivery === undefined || isOfSeveral(attempt)) return null
  const own = commandsOf(delivery, sent.seq, executed, reading).filter((one) => isScript(one) && !isUnknown(one))
  if (own.some((one) => isShared(one, delivery, reading))) return null
  return own.findLast(({ label }) => label === own[0]!.label) ?? null
}

/**
 * The server did not know the script by its SHA-1: nothing was executed, though its body is known
 * here.
 */
export const isUnknown = ({ reply }: ExecutedCommand): boolean => replyClass(reply) === 'error NOSCRIPT'

/** `attempt`: whose script it is about. */
function hungOnTime(attempt: Attempt, other: Attempt, evidence: Evidence): string | null {
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

/** Null for what is no script, passes no time, or passes one that is near enough. */
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

/** The time is none before the process had a delivery of the key, and none yet to come. */
const cameLate = (command: ExecutedCommand, passed: number, evidence: Evidence): boolean =>
  passed - epochMs >= handedUs(command, evidence) / 1000 - leewayMs &&
  passed - epochMs <= atUsOf(evidence, command) / 1000

/** When its process was first handed the key. */
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
