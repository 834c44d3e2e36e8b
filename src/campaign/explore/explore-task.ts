/** One part of an exploration: all orders of one placement of faults. */
import type { Plan, PlannedFault } from '../../contract/api/plan.ts'
import type { RunJourneys } from '../../sim/world/request.ts'
import type { Explored, ExploreTask, Placed } from '../play/explore-tasks.ts'
import { loadPair } from '../play/load-pair.ts'
import { playAndJudge } from '../play/play-and-judge.ts'
import { emptyTally } from '../tally/tally.ts'
import { sourceOf } from '../token/run-choices.ts'
import type { CampaignDeps } from '../types.ts'
import { exploredSeed, exploreOrders, noOrders } from './explore-orders.ts'
import { countName, explorePlan, visible } from './explore-plan.ts'
import type { PlayedOrder } from './steps.ts'

/** @throws LoadError */
export async function exploreTask(task: ExploreTask, deps: CampaignDeps): Promise<Explored> {
  const pair = await loadPair(task, deps)
  const calm = explorePlan(task.deliveries, task.shape, pair.implementation.implementation, task.sentinels)
  const found = noOrders()
  const passed = new Map<string, boolean[]>()
  const { events: mostEvents = Number.POSITIVE_INFINITY } = task
  const { implementationName: implementation, scenarioName: scenario, sink } = task
  deps.playing({ implementation, scenario, sink, seed: exploredSeed, run: 0 })
  for (const faults of await durationsOf(calm, [], task.faults)) {
    const request = { pair, sink, plan: { ...calm, faults }, bail: task.bail, undelayed: task.undelayed }
    const isOver = () => deps.stopped() || found.runs >= task.runs || found.events >= mostEvents
    await exploreOrders({ ...request, isOver }, found, deps, ({ journeys }, order) => {
      for (const [name, seen] of seenAt(journeys!, order)) {
        const before = passed.get(name) ?? []
        const longer = seen.length > before.length ? seen : before
        passed.set(
          name,
          longer.map((_, nth) => seen[nth] === true || before[nth] === true),
        )
      }
    })
    if (found.isCut || (task.bail && found.broken.length > 0)) break
  }
  return { ...found, passed }

  /** The faults with each duration that makes a difference, if they heal at a time to be chosen. */
  async function durationsOf(
    plan: Plan,
    before: readonly PlannedFault[],
    [next, ...rest]: readonly Placed[],
  ): Promise<PlannedFault[][]> {
    if (next === undefined) return [[...before]]
    const all: PlannedFault[][] = []
    const healed = next.healsLater ? await healings({ ...plan, faults: [...before] }, next.fault) : [next.fault]
    for (const fault of healed) all.push(...(await durationsOf(plan, [...before, fault], rest)))
    return all
  }

  async function healings(plan: Plan, fault: PlannedFault): Promise<PlannedFault[]> {
    const longMs = longTimes * plan.visibilityMs
    const probe = { ...plan, faults: [...plan.faults, { ...fault, healAfterMs: longMs }] }
    const choices = sourceOf({ choiceSeed: exploredSeed, choices: {} })
    const request = { ...pair, sink, plan: probe, choices, record: false, journeys: true }
    const { result } = await playAndJudge(0, request, emptyTally(), deps)
    const { arrived, passed } = result.journeys!
    const { when } = fault
    if (when.at === 'time') throw new Error('an exploration places faults at boundaries')
    const struck = passed.filter(({ slot, boundary }) => slot === when.consumer && boundary === when.at)[when.nth - 1]
    const times = struck === undefined ? [] : beginningsOf(arrived, struck.atUs, longMs)
    return [...times, longMs].map((healAfterMs) => ({ ...fault, healAfterMs }))
  }
}

/**
 * By boundary, for each time that a consumer passed it: false if it is a command that changed
 * nothing, soon after a boundary at which the process may end as well.
 */
function seenAt({ passed }: RunJourneys, { steps }: PlayedOrder): Map<string, boolean[]> {
  const arrivals = (changed: boolean) =>
    steps
      .filter(({ changes }) => changes === changed)
      .map(({ journey: { stream, arrivedUs } }) => `${stream} ${arrivedUs}`)
  const unseen = new Set(arrivals(false))
  for (const arrival of arrivals(true)) unseen.delete(arrival)
  const all = new Map<string, boolean[]>()
  /** By consumer: the time of the last boundary at which a fault is placed. */
  const placedUs = new Map<number, number>()
  for (const { slot, boundary, atUs } of passed) {
    const isUnseen =
      boundary === 'command-executed' &&
      orderedStores.some((store) => unseen.has(`consumer-${slot + 1}~${store}> ${atUs}`)) &&
      atUs - (placedUs.get(slot) ?? Number.NEGATIVE_INFINITY) <= togetherUs
    const name = countName(slot, boundary)
    all.set(name, [...(all.get(name) ?? []), !isUnseen])
    if (visible.includes(boundary) && !isUnseen) placedUs.set(slot, atUs)
  }
  return all
}

/** The stores that record what a command used. */
const orderedStores = ['redis', 'postgres']

/** A process is paused for at most this multiple of the visibility timeout. */
const longTimes = 2
/** Steps within this time can be played in every order by their latencies alone. */
const togetherUs = 20_000

/**
 * The durations, in milliseconds, after which a process that stops at `fromUs` continues just
 * before the others become active again.
 */
function beginningsOf(
  arrived: readonly { readonly sentUs: number; readonly arrivedUs: number | null }[],
  fromUs: number,
  longMs: number,
): number[] {
  const durations: number[] = []
  let lastUs = fromUs
  for (const { sentUs, arrivedUs } of arrived) {
    if (arrivedUs! < fromUs) continue
    if (sentUs - lastUs > togetherUs) {
      const durationMs = Math.floor((sentUs - fromUs) / 1000)
      if (durationMs < longMs) durations.push(durationMs)
    }
    lastUs = Math.max(lastUs, arrivedUs!)
  }
  return durations
}
