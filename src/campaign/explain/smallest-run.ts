/**
 * Searches for a smaller run with the same violation, in the cheapest scenario that can express it.
 */
import { hashText } from 'virtual-node/kernel'
import type { Plan } from '../../contract/api/plan.ts'
import { isOwn } from '../../contract/api/verdict.ts'
import { canExpress, onOneServer } from '../play/cheaper-scenario.ts'
import { type DrawnRun, drawRun } from '../play/draw-run.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import { planOf } from '../play/run-chunk.ts'
import type { ScenarioRef } from '../token/pair-ref.ts'
import type { RunChoices } from '../token/run-choices.ts'
import type { Found, Player } from './player.ts'
import { planSpaceOf } from './shrink/plan-space.ts'
import type { Breaks } from './shrink/search.ts'
import { leaveOutFaults, shrinkRun } from './shrink/shrink-run.ts'

/**
 * Candidate runs are cut at twice the shortest time to the violation plus this slack, in
 * microseconds.
 */
const moreUs = 5_000_000

export async function smallestRun(player: Player, { where }: Found): Promise<Found> {
  const drawn = drawnBy(player)
  return (
    (await smallestOnOneServer(player, drawn)) ??
    cheapest(player, await shrunkIn(player, where, player.pair, drawn, same))
  )
}

const drawnBy = ({ pair, task }: Player): DrawnRun => drawRun(pair.scenario, task.seed, task.run)

/** Searches without a deployment first, because runs with one server cost a fraction. */
async function smallestOnOneServer(player: Player, drawn: DrawnRun): Promise<Found | null> {
  const { pair, task, asDrawn } = player
  // A scenario's own invariants are not checked in other scenarios.
  if (pair.scenario.shape === 'single' || isOwn(task.invariant)) return null
  for (const where of task.cheaper) {
    const single = await player.pairIn(where)
    if (single?.scenario.shape !== 'single') continue
    const choiceSeed = await luck(player, single, onOneServer(asDrawn.plan))
    if (choiceSeed === null) return null
    const small = await shrunkIn(player, where, single, { ...drawn, choiceSeed }, onOneServer)
    const named = await cheapest(player, small)
    // A run without its deployment counts as smaller, even if nothing else was removed.
    return canExpress(named.pair.scenario, named.plan) ? { ...named, shrunk: true } : null
  }
  return null
}

/**
 * Searches for a choice seed with which the plan breaks in another scenario, because the choices of
 * the drawn run do not fit the other scenario.
 */
async function luck(player: Player, pair: LoadedPair, plan: Plan): Promise<number | null> {
  const { seed } = player.asDrawn.choices
  for (const one of [seed, ...[1, 2, 3, 4, 5].map((again) => hashText(`elsewhere ${again}`, seed))])
    if ((await player.breaks(pair, plan, { choiceSeed: one })) !== null) return one
  return null
}

async function shrunkIn(
  player: Player,
  where: ScenarioRef,
  pair: LoadedPair,
  drawn: DrawnRun,
  as: (plan: Plan) => Plan,
): Promise<Found> {
  const { task, budget, deps } = player
  const asReported = (plan: Plan) => as(planOf(task, plan))
  const breaks = (plan: Plan, choices: RunChoices) => player.breaks(pair, asReported(plan), choices)
  const space = planSpaceOf(player.pair.scenario, task.run)
  const soon = await breaksSoon(player, pair, asReported, drawn)
  const small = soon === null ? null : await shrinkRun(space, drawn, soon, budget)
  const isSmall = small !== null && (await player.played(pair, asReported(small.plan), small.choices)) !== null
  const { plan, choices, made } = isSmall
    ? await leaveOutFaults(small, breaks, budget)
    : await shrinkRun(space, drawn, breaks, budget)
  const isAsDrawn = made === null && !(isSmall && small.made !== null)
  const isCutShort = budget.isSpent || deps.stopped()
  return { where, pair, plan: asReported(plan), choices, shrunk: !isAsDrawn || !isCutShort }
}

/**
 * Accepts only runs that break about as soon as the smallest run so far. Most runs continue long
 * after the violation, and with fewer faults some would break later for another reason. Null if the
 * drawn run, cut at that time, does not show its violation. Such a violation appears only when the
 * world is at rest.
 */
async function breaksSoon(
  player: Player,
  pair: LoadedPair,
  as: (plan: Plan) => Plan,
  { value, choiceSeed }: DrawnRun,
): Promise<Breaks | null> {
  let untilUs = Number.MAX_SAFE_INTEGER
  const breaks: Breaks = async (plan, choices) => {
    if (player.deps.stopped()) return null
    const broke = await player.broke(pair, as(plan), choices, untilUs)
    if (broke !== null) untilUs = Math.min(untilUs, 2 * broke.atUs + moreUs)
    return broke?.made ?? null
  }
  const drawn = [value.value, { choiceSeed }] as const
  return (await breaks(...drawn)) !== null && (await breaks(...drawn)) !== null ? breaks : null
}

/** The same run in the cheapest scenario that checks the invariant. */
async function cheapest(player: Player, found: Found): Promise<Found> {
  const { cheaper, invariant } = player.task
  for (const where of cheaper) {
    if (where.scenarioName === found.where.scenarioName) {
      if (canExpress(found.pair.scenario, found.plan)) return found
      continue
    }
    const pair = await player.pairIn(where)
    if (pair?.scenario.shape !== found.pair.scenario.shape) continue
    if (!pair.scenario.invariants.includes(invariant) || !canExpress(pair.scenario, found.plan)) continue
    if ((await player.breaks(pair, found.plan, found.choices)) !== null) return { ...found, where, pair }
  }
  return found
}

const same = (plan: Plan): Plan => plan
