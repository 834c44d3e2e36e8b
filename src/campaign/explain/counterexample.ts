/** Shrinks one violating run, and shows it in the cheapest scenario that can express it. */

import type { Plan } from '../../contract/api/plan.ts'
import { riskNames } from '../../contract/api/risk.ts'
import type { Violation } from '../../contract/api/verdict.ts'
import type { RunTrace } from '../../contract/results/run-trace.ts'
import { attributed } from '../causes/attributed.ts'
import { decidingStep } from '../causes/deciding-step.ts'
import { pathOf } from '../causes/path-of.ts'
import { reportViolation } from '../causes/reported-violation.ts'
import { EventBudget } from '../play/event-budget.ts'
import type { Counterexample, RecordedPassing } from '../play/executor.ts'
import { loadPair } from '../play/load-pair.ts'
import { PlayedBefore } from '../play/played-before.ts'
import { explain, requestOf } from '../play/run-chunk.ts'
import { addressOf, type SearchMode, type ShrinkTask } from '../play/tasks.ts'
import { LeakError, NondeterminismError } from '../token/nondeterminism.ts'
import { pairName } from '../token/pair-ref.ts'
import type { RunChoices } from '../token/run-choices.ts'
import type { RecordedRun } from '../token/token.ts'
import { trailOf } from '../token/trail.ts'
import type { CampaignDeps, RunResult, WorldRequest } from '../types.ts'
import { findNearestPassing } from './nearest-passing.ts'
import { brokeUs, type Found, Player, unlessUnusable } from './player.ts'
import { smallestRun } from './smallest-run.ts'
import { soonestOnServers } from './soonest-on-servers.ts'
import { triggerRank } from './trigger-rank.ts'

/**
 * Searches for the counterexample. If the state of the adapter's modules outlives a run, the search
 * is repeated with modules loaded again for every run.
 * @throws LoadError, LeakError, NondeterminismError
 */
export async function findCounterexample(
  task: ShrinkTask,
  deps: CampaignDeps,
  played: PlayedBefore = new PlayedBefore(),
): Promise<Counterexample> {
  try {
    return await search(task, deps, played)
  } catch (error) {
    if (!(error instanceof LeakError) || task.fresh) throw error
    return search({ ...task, fresh: true }, deps, played)
  }
}

async function search(task: ShrinkTask, deps: CampaignDeps, played: PlayedBefore): Promise<Counterexample> {
  const pair = await loadPair(task, deps)
  const asDrawn = requestOf(task, pair, task.run)
  deps.playing(addressOf(task, task.run))
  const schedule = deps.servers !== undefined && task.mode === 'look'
  // A run that is reported as it was drawn is played once.
  const isLast = task.mode === 'canary' && task.budget === 0
  const first = isLast
    ? await deps.runWorld({ ...asDrawn, record: true, schedule, ...shown.canary })
    : await played.record({ ...asDrawn, schedule }, deps)
  if (first.digest !== task.digest) throw await differing(task, asDrawn, first, deps)
  const player = new Player(task, pair, asDrawn, deps, played)
  const where = { scenarioPath: task.scenarioPath, scenarioName: task.scenarioName }
  const choices = { choiceSeed: asDrawn.choices.seed }
  const drawn: Found = { where, pair, plan: asDrawn.plan, choices, shrunk: false }
  if (task.mode === 'look') {
    player.budget.spend(first.eventCount)
    return report(player, drawn, first)
  }
  if (isLast) return report(player, drawn, first)
  const found = task.budget === 0 ? drawn : await smaller[task.mode](player, drawn)
  const wants = shown[task.mode]
  const until = wants.positions ? { positionsUntilUs: await player.breaksAtUs(found) } : {}
  const result = await deps.runWorld({ ...player.requestOf(found), record: true, ...wants, ...until })
  return report(player, found, result)
}

type Searching = Exclude<SearchMode, 'look'>

const smaller = {
  canary: smallestRun,
  story: smallestRun,
  finding: smallestRun,
} as const satisfies Record<Searching, unknown>

/** The options with which the found run is played again for the report. */
const shown: Readonly<Record<Searching, Partial<WorldRequest>>> = {
  // Modules are loaded again, because a process that replays the token has not loaded any modules
  // before.
  canary: { scrutinise: true },
  story: { scrutinise: true, positions: true },
  finding: { scrutinise: true, positions: true, listChoices: true, runTrace: true, schedule: true },
}

async function report(player: Player, found: Found, result: RunResult): Promise<Counterexample> {
  const { task, deps } = player
  const { where, pair, plan, choices, shrunk } = found
  const violation = await player.violationOf(result, pair, player.requestOf(found))
  if (violation === null) throw unlikeItself(task)
  const { invariant, kind, mode } = task
  const decidedBy = decidingStep(attributed(result), violation)
  // A canary's result does not show the cause. So the runs that leave out one fault each are not
  // played.
  const needs = mode === 'canary' ? [] : await neededBy(player, found)
  const { sinkForgot } = violation
  const forgot = sinkForgot === undefined ? {} : { sinkForgot }
  const cause = { invariant, kind, path: pathOf(result, violation), decidedBy, needs, ...forgot }
  const recorded = {
    ...pairName({ ...task, ...where }),
    seed: task.seed,
    run: task.run,
    plan,
    ...choices,
    ...trailOf(result),
  }
  const reported = reportViolation({ invariant, violation }, result, recorded, deps)
  const risks = player.risksOf(player.requestOf(found), result.history, riskNames)
  const isAsked = (mode === 'finding' || mode === 'look') && !task.alone
  const acceptable = isAsked ? await risks.acceptable(invariant, violation) : []
  const live = await soonestOnServers(player, found, { invariant, violation }, recorded, result)
  const common = {
    ...{ ...reported, cause, shrunk },
    ...(where.scenarioName === task.scenarioName ? {} : { drawnIn: task.scenarioName }),
    ...(acceptable.length === 0 ? {} : { acceptable }),
    ...(live === undefined ? {} : { onServers: live }),
  }
  if (mode !== 'finding') return { ...common, timeline: null, spent: player.budget.spent }
  const { history, runTrace } = result
  const timeline = deps.draw({ history, runTrace: traced(runTrace) }, violation, reported.story)
  if (task.budget === 0) return { ...common, timeline, spent: player.budget.spent }
  const { nearestPassing, spent } = await nearestPassingOf(player, found, recorded, result, violation)
  return { ...common, timeline, nearestPassing, spent: player.budget.spent + spent }
}

/** Searches for the nearest passing run with an additional quarter of the budget. */
async function nearestPassingOf(
  player: Player,
  { pair, plan, choices }: Found,
  recorded: RecordedRun,
  result: RunResult,
  violation: Violation,
): Promise<{ readonly nearestPassing: RecordedPassing; readonly spent: number }> {
  const { task, deps } = player
  const { invariant } = task
  const budget = new EventBudget(Math.ceil(task.budget / 4))
  const names = [...new Set([invariant, ...pair.scenario.invariants])]
  const play = async (some: Plan, chosen: RunChoices) => {
    if (deps.stopped()) return null
    const played = await unlessUnusable(deps.runWorld(player.requestOf({ pair, plan: some, choices: chosen })))
    if (played === null) return null
    budget.spend(played.eventCount)
    const [own, ...others] = deps.judge(played.history, names, pair.scenario.own)
    const breaks = others.filter(({ verdict }) => verdict.verdict === 'violated').map(({ name }) => name)
    return { result: played, keeps: own!.verdict.verdict === 'valid', breaks }
  }
  const broken = { invariant, plan, choices, result, brokeUs: brokeUs(result, violation) }
  const { what, run } = await findNearestPassing(broken, play, budget)
  const { spent } = budget
  if (run === null) return { nearestPassing: { what, recorded: null, timeline: null }, spent }
  const { choiceSeed: _, choices: __, ...address } = recorded
  const request = player.requestOf({ pair, plan: run.plan, choices: run.choices })
  const { history, runTrace } = await deps.runWorld({ ...request, record: true, runTrace: true })
  const timeline = deps.drawPassing({ history, runTrace: traced(runTrace) }, violation.key)
  const held = { ...address, plan: run.plan, ...run.choices, ...trailOf(run.result) }
  return { nearestPassing: { what, recorded: held, timeline }, spent }
}

/**
 * The maximum number of events that the search for needed faults may play. Ordinary searches play
 * fewer.
 */
const mostEvents = 180_000

/**
 * Kinds of the faults without which the run does not break by the deciding step. A search that
 * ended by itself has tried to remove each fault. Otherwise each fault is left out in turn, until
 * its kind is known to be needed. If every fault can be left out because another one has the same
 * consequence, the kinds of a smallest set are returned, and the rarest kinds are removed first.
 * Untried kinds count as needed. They remain if the budget of a look is spent, if the runs are very
 * long, or if the search may play no other run.
 */
async function neededBy(player: Player, { pair, plan, choices, shrunk }: Found): Promise<string[]> {
  const { task, budget, deps } = player
  if (task.alone) return [...new Set(plan.faults.map(({ kind }) => kind))].sort()
  const needed = new Set<string>()
  for (const [at, { kind }] of plan.faults.entries()) {
    if (needed.has(kind)) continue
    const without = { ...plan, faults: plan.faults.filter((_, index) => index !== at) }
    const known = task.mode === 'look' ? budget.isSpent : shrunk && !budget.isSpent && !deps.stopped()
    if (known || budget.spent > mostEvents || (await player.played(pair, without, choices)) === null) needed.add(kind)
  }
  if (needed.size > 0 || plan.faults.length < 2) return [...needed].sort()
  return neededTogether(player, { pair, plan, choices })
}

/**
 * Kinds of a smallest set of faults with which the run breaks; empty if the run breaks without
 * faults.
 */
async function neededTogether(player: Player, { pair, plan, choices }: Pick<Found, 'pair' | 'plan' | 'choices'>) {
  const breaks = async (faults: Plan['faults']) => (await player.played(pair, { ...plan, faults }, choices)) !== null
  if (await breaks([])) return []
  let left = plan.faults
  const rarestFirst = [...left].sort((a, b) => triggerRank([b.kind]) - triggerRank([a.kind]))
  for (const fault of rarestFirst) {
    const others = left.filter((one) => one !== fault)
    if (player.budget.spent > mostEvents) break
    if (others.length > 0 && (await breaks(others))) left = others
  }
  return [...new Set(left.map(({ kind }) => kind))].sort()
}

function unlikeItself({ run, fresh }: ShrinkTask): Error {
  const what = `run ${run} does not break again after it was shrunk`
  return fresh ? new NondeterminismError(what) : new LeakError(what)
}

function traced(runTrace: RunTrace | null): RunTrace {
  if (runTrace === null) throw new Error('the traced run has no trace')
  return runTrace
}

/**
 * Explains why two plays of the run differ. Plays a new run, because the campaign's own run was not
 * kept.
 */
async function differing(task: ShrinkTask, asDrawn: WorldRequest, hot: RunResult, deps: CampaignDeps): Promise<Error> {
  const alone = () => deps.runWorld({ ...asDrawn, record: true, scrutinise: true })
  return explain(task.run, hot, await alone(), alone)
}
