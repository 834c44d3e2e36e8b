/**
 * Detects that an attempt took over a claim because of a time in the claim: one client wrote the
 * time by its own clock, and another client compared it with its own clock.
 */
import { epochMs } from 'virtual-node/kernel'
import { clockAheadMs } from '../../../check/clock-reach.ts'
import { type Attempt, isOfSeveral } from '../../../check/repeat.ts'
import { slotName } from '../../../check/slot-name.ts'
import { durationText } from '../../../contract/results/time-text.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { commandsOf, isShared } from '../deciding-step.ts'
import { changeOf, isLook, keysNamedBy, nameOf } from './commands.ts'
import type { Evidence } from './evidence.ts'
import { atUsOf, sharesKey } from './fate.ts'
import { changeAt, memberIn, textIn } from './members.ts'
import { producedAtsOf, timesIn } from './passed-times.ts'

interface TakeOver {
  /** The command that read the claim with the time. */
  readonly look: ExecutedCommand
  /** The command that wrote the claim. */
  readonly claim: ExecutedCommand
  /** The command that overwrote the claim. */
  readonly over: ExecutedCommand
  readonly writtenMs: number
  /** How many milliseconds the reader's clock was ahead of the writer's clock. */
  readonly apartMs: number
}

/** The minimum difference between two clocks, in milliseconds. Smaller differences are ignored. */
const leastApartMs = 500

/** The takeover; null if the attempt did not take over a claim by its time. */
export function takeOverBy(attempt: Attempt, evidence: Evidence): TakeOver | null {
  const { executed, reading } = evidence
  const { delivery, sent } = attempt
  if (delivery === undefined || isOfSeveral(attempt)) return null
  const steps = commandsOf(delivery, sent.seq, executed, reading).filter((one) => !isShared(one, delivery, reading))
  const producedAts = producedAtsOf(evidence)
  for (const look of steps.filter(isLook).toReversed()) {
    const found = [look.reply].flat().flatMap((one) => timesIn(textIn(one) ?? '', producedAts))
    const hasFound = (one: ExecutedCommand) =>
      one.args.some((word) => timesIn(word, producedAts).some((ms) => found.includes(ms)))
    // The claim is found by its time instead of by order, because several servers may have separate
    // claims.
    const claim = executed
      .slice(0, executed.indexOf(look))
      .findLast((one) => sharesKey(one, new Set(keysNamedBy(look))) && changeOf(one) !== 'none' && hasFound(one))
    const over = steps.slice(steps.indexOf(look) + 1).find((one) => writesOver(one, look))
    if (claim === undefined || over === undefined || steps.includes(claim)) continue
    const writtenMs = claim.args.flatMap((word) => timesIn(word, producedAts)).find((ms) => found.includes(ms))!
    const apartMs = Math.round(aheadAt(look, evidence) - aheadAt(claim, evidence))
    return { look, claim, over, writtenMs, apartMs }
  }
  return null
}

function writesOver(one: ExecutedCommand, look: ExecutedCommand): boolean {
  const member = memberIn(look)
  if (!sharesKey(one, new Set(keysNamedBy(look)))) return false
  return /^(GETSET|EVAL|EVALSHA|FCALL)/.test(one.label) || changeAt(one, member ?? '') === 'written'
}

function aheadAt(command: ExecutedCommand, evidence: Evidence): number {
  const { history, reading } = evidence
  return clockAheadMs(command.process, { seq: command.seq, atUs: atUsOf(evidence, command) }, history.header, reading)
}

/**
 * How the next attempt was able to perform, as a clause. It mentions the clocks if the lease had
 * not expired by the writer's clock. `during`: a clause about events between the two attempts.
 */
export function takeOverText(taken: TakeOver, evidence: Evidence, during = ''): string {
  const { look, claim, over, apartMs } = taken
  const took = `the next attempt considered the claim expired by its stored time (${nameOf(look)}), and overwrote it (${nameOf(over)})${during}`
  if (Math.abs(apartMs) < leastApartMs || wasOver(taken, evidence)) return took
  const [writer, reader] = [slotName(claim.process), slotName(look.process)]
  const much = durationText(Math.round(Math.abs(apartMs) / 1000) * 1000 || Math.abs(apartMs))
  const way = apartMs > 0 ? 'ahead' : 'behind'
  return writer === reader
    ? `${took}: the clock of ${writer} had written that time, and had since gone ${much} ${way}`
    : `${took}: the clock of ${writer} had written that time, and the clock of ${reader}, which read it, was ${much} ${way} of it`
}

/**
 * True if the lease had expired by the writer's clock. The lease decides whether the time is a
 * start or an end.
 */
function wasOver({ look, claim, writtenMs }: TakeOver, evidence: Evidence): boolean {
  const { leaseMs } = evidence.history.header
  const nowMs = epochMs + atUsOf(evidence, look) / 1000 + aheadAt(claim, evidence)
  const thenMs = epochMs + atUsOf(evidence, claim) / 1000 + aheadAt(claim, evidence)
  const endMs = writtenMs - thenMs > leaseMs / 2 ? writtenMs : writtenMs + leaseMs
  return nowMs >= endMs
}
