/**
 * Plays one layer under one scenario on real servers: selects the runs, makes them, and judges them
 * like simulated runs.
 */

import { Choices } from 'virtual-node/kernel'
import type { Judgement } from '../../check/index.ts'
import { usualStores } from '../../contract/api/store.ts'
import type { LiveOrder, LiveOutcome } from '../../contract/results/live-run.ts'
import type { LiveEvidence, LiveViolation, PairResult } from '../../contract/results/results.ts'
import { judgedBy } from '../../run/header.ts'
import { withLeaseFor } from '../../run/shortest-lease.ts'
import { violationsOf, wayOf } from '../causes/reported-violation.ts'
import { goals } from '../goals/index.ts'
import type { PairChoice } from '../play/campaign-request.ts'
import { type LoadedPair, loadPair } from '../play/load-pair.ts'
import { judgeAndCount } from '../play/play-and-judge.ts'
import { pairResult } from '../results/pair-result.ts'
import { addRun } from '../tally/add-run.ts'
import { goalReasons } from '../tally/goal-reasons.ts'
import { emptyTally, type Tally } from '../tally/tally.ts'
import { sourceOf } from '../token/run-choices.ts'
import type { CampaignDeps } from '../types.ts'
import { chooseRuns, madeForLive, plannedRun, shapeFor } from './chosen-runs.ts'
import { goalsNotAsked, goalsUnseen } from './goals-not-asked.ts'
import type { LiveContext, LiveHost, LivePairRequest } from './live-host.ts'
import { asSimulated, heldAgainst, liveViolation, notAsRecorded, notesOf } from './live-results.ts'

/** The maximum number of times that a run is made again if it cannot be judged. */
const repetitions = 2

export async function livePair(
  choice: PairChoice,
  request: LivePairRequest,
  context: LiveContext,
): Promise<PairResult> {
  const { deps, host } = context
  const pair = await load(choice, request, deps)
  const { scenario } = pair
  const { implementation } = pair.implementation
  const { runs: selected, refused, whyNone } = await chooseRuns(pair, choice, request, context)
  const make = await host.load(choice.implementationPath)
  const tally = emptyTally()
  const lacking = goalReasons(scenario.goals, implementation, choice.sink, deps)
  const isNamed = request.run !== null || request.recorded !== null
  const notAsked = { ...goalsNotAsked(scenario.goals, selected, isNamed), ...goalsUnseen(scenario.goals, goals) }
  const reasons = { ...notAsked, ...lacking }
  const violations = new Map<string, LiveViolation>()
  const evidence: Evidence = { notMade: [...refused, ...otherwise(request, host)], notSeen: [], runs: [], clocks: null }
  for (const [at, { run, way }] of selected.entries()) {
    // If a run broke as predicted, or all required goals were reached, further runs add nothing.
    const asSaid = selected.some((one) => one.way !== null && violations.has(one.way))
    const allReached = way === null && scenario.goals.every((goal) => tally.goals.has(goal) || goal in reasons)
    if (deps.stopped() || asSaid || (at > 0 && allReached)) break
    context.progress(at, selected.length)
    const order = orderOf(run, pair, choice, request, host)
    const outcome = await makeRun(run, () => make(order()), deps, evidence)
    for (const judged of violationsOf(judgeLive(run, outcome, pair, tally, deps)))
      if (!violations.has(wayOf(judged)))
        violations.set(wayOf(judged), liveViolation(run, request, outcome, judged, deps))
  }
  const made = selected.filter((one) => evidence.runs.some(({ run }) => run === one.run))
  const live: LiveEvidence = {
    on: host.about,
    timeScale: request.timeScale,
    notAsked,
    ...evidence,
    simulated: made.map(({ run, says }) => ({ run, says })),
  }
  const result = pairResult({
    scenario,
    implementation,
    sink: choice.sink,
    tally,
    runsRequested: made.length,
    violations: [...violations.values()],
    failure: null,
    goalReasons: reasons,
    notes: notesOf(live),
    cutShort: deps.stopped()
      ? `interrupted after ${tally.runs} runs`
      : (whyNone ?? heldAgainst(made) ?? notAsRecorded(request, live)),
  })
  return { ...result, live }
}

/**
 * For a recorded run, the differences between the Redis that its plan requires and the host's
 * Redis.
 */
function otherwise({ recorded }: LivePairRequest, host: LiveHost): LiveEvidence['notMade'][number][] {
  return recorded === null ? [] : host.otherwise(recorded.plan).map((one) => ({ run: recorded.run, ...one }))
}

interface Evidence {
  readonly notMade: LiveEvidence['notMade'][number][]
  readonly notSeen: LiveEvidence['notSeen'][number][]
  readonly runs: LiveEvidence['runs'][number][]
  clocks: string | null
}

async function makeRun(
  run: number,
  make: () => Promise<LiveOutcome>,
  deps: CampaignDeps,
  evidence: Evidence,
): Promise<LiveOutcome> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await make()
    const { readyMs, tookMs, worstLateMs, withoutPrimaryMs } = outcome
    const times = { readyMs: Math.round(readyMs), tookMs: Math.round(tookMs), lateMs: Math.round(worstLateMs) }
    evidence.runs.push({ run, ...times, ...(withoutPrimaryMs === undefined ? {} : { withoutPrimaryMs }) })
    evidence.clocks ??= outcome.clocks
    if (outcome.unfit !== null && attempt < repetitions && !deps.stopped()) continue
    evidence.notMade.push(...outcome.notMade.map((one) => ({ run, ...one })))
    evidence.notSeen.push(...outcome.notSeen.map((one) => ({ run, ...one })))
    return outcome
  }
}

/** Creates the order for a run. Each repetition draws from the beginning of the streams. */
function orderOf(
  run: number,
  { scenario, implementation: { implementation } }: LoadedPair,
  { sink }: PairChoice,
  request: LivePairRequest,
  host: LiveHost,
): () => LiveOrder {
  const { plan: drawn, ...choices } = plannedRun(scenario, request, run, host)
  const plan = withLeaseFor(implementation, drawn)
  const { id, deploy, stores = usualStores } = implementation
  return () => {
    const streams = new Choices(sourceOf(choices))
    return {
      shape: shapeFor(scenario, request),
      scenario: scenario.id,
      implementation: id,
      stores,
      sink,
      plan,
      chance: (stream, what, n) => streams.stream(stream).choose(what, n),
      ...judgedBy(implementation, scenario),
      deploys: deploy !== undefined,
    }
  }
}

/**
 * Loads the pair. If plans were made for live runs, the goals that these plans can reach replace
 * the scenario's goals.
 */
async function load(choice: PairChoice, request: LivePairRequest, deps: CampaignDeps): Promise<LoadedPair> {
  const pair = await loadPair(choice, deps)
  const made = madeForLive(pair.scenario, request)
  if (made === null) return pair
  return { ...pair, scenario: { ...pair.scenario, goals: [...new Set(made.flatMap(({ goals }) => goals))] } }
}

function judgeLive(
  run: number,
  outcome: LiveOutcome,
  { scenario }: LoadedPair,
  tally: Tally,
  deps: CampaignDeps,
): readonly Judgement[] {
  const { unfit } = outcome
  const result = asSimulated(outcome)
  if (unfit === null) return judgeAndCount(run, result, scenario, tally, deps)
  const unknown = { verdict: 'unknown', reason: unfit } as const
  const verdicts = scenario.invariants.map((name) => ({ name, verdict: unknown }))
  addRun(tally, { run, result, verdicts, accepted: [], reached: [] })
  return verdicts
}
