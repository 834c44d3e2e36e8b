/**
 * Explores the smallest bound of each layer before its runs are drawn: every order of two
 * deliveries without faults, and one order for each place of one fault. The smallest order that
 * breaks a layer is the first answer of the campaign, and needs no shrinking.
 */
import { LoadError } from 'virtual-node/runtime'
import { isProgram } from '../../contract/api/program-name.ts'
import { usualStores } from '../../contract/api/store.ts'
import { twoVersions } from '../../contract/api/two-versions.ts'
import type { ExploredLayer } from '../../contract/results/results.ts'
import type { ReportedViolation } from '../causes/reported-violation.ts'
import { violationResult } from '../explain/violation-result.ts'
import { exploreLayer } from '../explore/explore-layer.ts'
import { exploredSeed } from '../explore/explore-orders.ts'
import { shapesFor, usualKinds } from '../explore/explore-plan.ts'
import { judgingScenario } from '../explore/explored-scenario.ts'
import type { CampaignContext, CampaignRequest, PairPlan } from '../play/campaign-request.ts'
import { EndlessTurn } from '../play/endless-turn.ts'
import type { BrokenOrder } from '../play/explore-tasks.ts'
import { type LoadedPair, loadPair } from '../play/load-pair.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { playAgain, reportViolations } from '../play/play-and-judge.ts'
import { pairTask } from '../play/tasks.ts'
import { emptyTally, mergeTally, type Tally } from '../tally/tally.ts'
import { pairName } from '../token/pair-ref.ts'
import { trailOf } from '../token/trail.ts'
import type { CampaignDeps } from '../types.ts'
import type { FirstViolation } from './first-violation.ts'

const deliveries = 2
/** The most runs without faults, of each shape. */
const mostRuns = 400
/**
 * The most events without faults, of each shape, and the most events with one fault. Layers with
 * long runs are explored in part: 30,000 events take about a second.
 */
const mostEvents = 30_000

/** Runs no drawn run: a chunk first checks that the layer works without faults. */
const noRuns = { from: 0, to: 0, bail: false }

/** What the exploration of one layer found. */
export interface FirstOrders {
  readonly plan: PairPlan
  readonly result: ExploredLayer
  /** A tally of the invariants of the smallest order, without runs. Null if no order broke. */
  readonly tally: Tally | null
}

/** @throws LoadError if the only layer of the campaign never works without faults */
export async function exploreFirst(
  plans: readonly PairPlan[],
  request: Pick<CampaignRequest, 'seed' | 'reports'>,
  context: CampaignContext,
  first: FirstViolation,
): Promise<FirstOrders[]> {
  const all: FirstOrders[] = []
  const isOnly = new Set(plans.map(({ choice }) => choice.implementationPath)).size === 1
  for (const plan of plans) {
    const found = await explorePlanned(plan, request, context, isOnly)
    if (found === null) continue
    all.push(found)
    const { smallest } = found.result
    if (smallest !== undefined) first.found({ ...pairName(plan.choice), ...smallest })
  }
  return all
}

async function explorePlanned(
  plan: PairPlan,
  { seed, reports }: Pick<CampaignRequest, 'seed' | 'reports'>,
  context: CampaignContext,
  isOnly: boolean,
): Promise<FirstOrders | null> {
  const { choice } = plan
  const { deps, executor, alone, keep, progress } = context
  const { implementationPath: layer, scenarioName } = choice
  const isJudging = Object.values(judgingScenario).includes(scenarioName)
  if (!isJudging || isProgram(layer) || twoVersions(layer) !== null) return null
  const task = pairTask(choice, { seed, fresh: false })
  const pair = await loadPair(task, deps)
  const { implementation } = pair.implementation
  const [store, ...others] = implementation.stores ?? usualStores
  if (others.length > 0 || judgingScenario[store!] !== scenarioName) return null
  const bounds = { deliveries, faults: 1, kinds: usualKinds }
  const limits = { bail: true, runs: mostRuns, events: mostEvents, undelayedFrom: 1 }
  const names = { implementation: implementation.id, scenario: scenarioName }
  const doing = { phase: 'exploring', ...names, runsRequested: null } as const
  let works = false
  try {
    progress({ ...doing, runs: 0 })
    await executor.runChunk({ ...task, ...noRuns })
    works = true
    const { found, levels } = await exploreLayer(
      { ...task, ...limits, bounds, shapes: shapesFor(implementation), store: store! },
      { executor, stopped: deps.stopped, progress: ({ runs }) => progress({ ...doing, runs }) },
    )
    const { sink } = choice
    const [smallest] = found.broken
    const { orders, runs, known } = found
    const isKnown = found.unknown.size === 0
    const result: ExploredLayer = {
      ...{ ...names, sink, deliveries, orders, runs, leftOut: known },
      levels: levels.map((level) => ({ ...level, complete: level.complete && isKnown })),
    }
    if (smallest === undefined) return { plan, result, tally: null }
    const { reported, tally } = await alone(() => playSmallest(choice, pair, smallest, deps))
    // If the state of the layer's modules outlives a run, the order may break only after others.
    if (reported === undefined) return null
    const violation = { ...violationResult(reported, { reports }, { keep }), explored: true } as const
    return { plan, result: { ...result, smallest: violation }, tally }
  } catch (error) {
    // Other layers are played, and then the campaign reports why this one cannot be used.
    const isHandled = error instanceof LoadError && (works || !isOnly || error instanceof EndlessTurn)
    if (isHandled) return null
    throw error
  }
}

/** Plays the order again, with its story. */
async function playSmallest(
  choice: PairPlan['choice'],
  pair: LoadedPair,
  { plan, choices }: BrokenOrder,
  deps: CampaignDeps,
): Promise<{ readonly reported: ReportedViolation | undefined; readonly tally: Tally }> {
  const judged = emptyTally()
  const address = { ...pairName(choice), seed: exploredSeed, run: 0, plan, choiceSeed: exploredSeed, choices }
  const played = await playAgain(pair, address, judged, deps, { positions: true })
  const [reported] = reportViolations(played, { ...address, ...trailOf(played.result) }, deps)
  return { reported, tally: { ...emptyTally(), invariants: judged.invariants } }
}

/**
 * Adds the broken order of a layer to the violations of its pair, if no drawn run broke the layer.
 * Otherwise, a finding explains it.
 */
export function addUndrawn(pairs: readonly PlayedPair[], explored: readonly FirstOrders[]): PlayedPair[] {
  return pairs.map((pair) => {
    const own = explored.find(({ plan }) => plan === pair.plan)
    if (own?.tally == null || pairs.some((other) => isOfLayer(other, own) && other.progress.tally.paths.size > 0))
      return pair
    mergeTally(pair.progress.tally, own.tally)
    return { ...pair, explored: own.result.smallest! }
  })
}

const isOfLayer = ({ plan: { choice } }: PlayedPair, { plan }: FirstOrders): boolean =>
  choice.implementationPath === plan.choice.implementationPath && choice.sink === plan.choice.sink
