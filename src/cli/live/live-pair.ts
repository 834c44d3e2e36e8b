/** One layer under one scenario on real servers: the runs, judged and told as simulated ones are. */
import fs from 'node:fs'
import path from 'node:path'
import { addRun } from '../../campaign/add-run.ts'
import type { CampaignDeps } from '../../campaign/campaign-deps.ts'
import type { PairChoice } from '../../campaign/campaign-request.ts'
import { drawRun } from '../../campaign/draw-run.ts'
import { goalReasons } from '../../campaign/goal-reasons.ts'
import { goals } from '../../campaign/goals/index.ts'
import type { LoadedPair } from '../../campaign/load-pair.ts'
import { pairResult } from '../../campaign/pair-result.ts'
import { emptyTally } from '../../campaign/tally.ts'
import { tellingRuns } from '../../campaign/telling-runs.ts'
import { violationsOf } from '../../campaign/told-violation.ts'
import type { Judgement } from '../../check/index.ts'
import type { History } from '../../contract/history.ts'
import type { LiveEvidence, PairResult, ViolationResult } from '../../contract/results.ts'
import type { Violation } from '../../contract/verdict.ts'
import { sortFaults } from '../../live/faults/index.ts'
import { liveRun } from '../../live/live-run.ts'
import { consumerProgram } from '../../live/programs.ts'
import type { LiveRunResult } from '../../live/run-request.ts'
import type { Stage } from '../../live/stage.ts'
import { scaled } from '../../live/time-scale.ts'
import type { Workplace } from '../../live/workplace.ts'
import { Choices } from '../../sim/kernel/choices.ts'
import { bundle } from '../../sim/runtime/bundle.ts'
import { failoverPlans, shapeOf } from './failover-plans.ts'
import { type ChosenRun, goalsNotAsked, goalsUnseen, notAskedOf } from './goals-not-asked.ts'

export interface LivePairRequest {
  readonly seed: number
  /** The one that is named; null lets the simulator choose. */
  readonly run: number | null
  /** Most runs of a pair. */
  readonly runs: number
  readonly timeScale: number
  readonly marginMs: number
  /** What one run may last at most. */
  readonly longestMs: number
  /** The options that give the same servers again. */
  readonly withText: string
}

export interface LiveContext {
  readonly deps: CampaignDeps
  readonly stage: Stage
  readonly workplace: Workplace
  readonly progress: (done: number, of: number) => void
}

/** A run that the machine was too slow for says nothing, and is made again, so many times. */
const repetitions = 2

export async function livePair(
  choice: PairChoice,
  request: LivePairRequest,
  context: LiveContext,
): Promise<PairResult> {
  const { deps, stage } = context
  const pair = await load(choice, deps)
  const chosen = await chooseRuns(pair, choice, request, context)
  const program = await compile(choice.implementationPath, context.workplace)
  const tally = emptyTally()
  const lacking = goalReasons(pair.scenario.goals, pair.implementation.implementation, choice.sink, deps)
  const notAsked = { ...goalsNotAsked(pair.scenario.goals, chosen), ...goalsUnseen(pair.scenario.goals, goals) }
  const reasons = { ...notAsked, ...lacking }
  const violations = new Map<string, ViolationResult>()
  const evidence: Evidence = { notMade: [], runs: [], clocks: null }
  for (const [at, { run, way }] of chosen.entries()) {
    // Once it broke as the simulator said, or reached all that was asked, more runs would say the same.
    const asSaid = chosen.some((one) => one.way !== null && violations.has(one.way))
    const allReached = way === null && pair.scenario.goals.every((goal) => tally.goals.has(goal) || goal in reasons)
    if (deps.stopped() || asSaid || (at > 0 && allReached)) break
    context.progress(at, chosen.length)
    const result = await makeRun(run, { choice, pair, program, request, live: context }, evidence)
    const verdicts = verdictsOn(result, pair, deps)
    const reached =
      result.tooLate === null ? pair.scenario.goals.filter((one) => deps.reached(one, result.history)) : []
    addRun(tally, { run, result: asSimulated(result), verdicts, reached })
    for (const { invariant, violation } of violationsOf(verdicts)) {
      const way = `${invariant} ${violation.kind}`
      if (!violations.has(way))
        violations.set(way, violationResult(run, choice, request, { result, invariant, violation }, deps))
    }
  }
  const { scenario, implementation } = pair
  const simulated = chosen.filter((one) => evidence.runs.some(({ run }) => run === one.run))
  const live: LiveEvidence = {
    on: stage.about,
    timeScale: request.timeScale,
    notAsked,
    ...evidence,
    simulated: simulated.map(({ run, says }) => ({ run, says })),
  }
  const result = pairResult({
    scenario,
    implementation: implementation.implementation,
    sink: choice.sink,
    tally,
    runsRequested: simulated.length,
    violations: [...violations.values()],
    failure: null,
    goalReasons: reasons,
    notes: notesOf(live),
    cutShort: deps.stopped() ? `interrupted after ${tally.runs} runs` : heldAgainst(simulated),
  })
  return { ...result, live }
}

/** Where the simulator breaks a layer and real servers do not, nobody knows which is right. */
function heldAgainst(made: readonly ChosenRun[]): string | null {
  const ways = new Set(made.flatMap(({ way }) => way ?? []))
  return ways.size === 0 ? null : `it held, but the simulator breaks it in these runs: ${[...ways].join(', ')}`
}

interface Evidence {
  readonly notMade: LiveEvidence['notMade'][number][]
  readonly runs: LiveEvidence['runs'][number][]
  clocks: string | null
}

interface RunContext {
  readonly choice: PairChoice
  readonly pair: LoadedPair
  readonly program: { readonly main: string; readonly adapter: string }
  readonly request: LivePairRequest
  readonly live: LiveContext
}

async function makeRun(run: number, context: RunContext, evidence: Evidence): Promise<LiveRunResult> {
  const { choice, pair, program, request, live } = context
  const { plan, choiceSeed } = planOf(pair, request, run)
  const { id, deploy, recoveryBoundMs } = pair.implementation.implementation
  const { recoveryCapMs } = pair.scenario
  for (let attempt = 0; ; attempt++) {
    const streams = new Choices(choiceSeed)
    const result = await liveRun({
      shape: shapeOf(pair.scenario.id),
      scenario: pair.scenario.id,
      implementation: id,
      sink: choice.sink,
      seed: choiceSeed,
      plan,
      chance: (stream, what, n) => streams.stream(stream).choose(what, n),
      recoveryBoundMs: Math.min(recoveryBoundMs ?? recoveryCapMs, recoveryCapMs),
      program,
      deploys: deploy !== undefined,
      marginMs: request.marginMs,
      longestMs: request.longestMs,
      stage: live.stage,
      workplace: live.workplace,
      stopped: live.deps.stopped,
    })
    const { readyMs, tookMs, worstLateMs, withoutPrimaryMs } = result
    const times = { readyMs: Math.round(readyMs), tookMs: Math.round(tookMs), lateMs: Math.round(worstLateMs) }
    evidence.runs.push({ run, ...times, ...(withoutPrimaryMs === undefined ? {} : { withoutPrimaryMs }) })
    evidence.clocks ??= result.clocks
    if (result.tooLate !== null && attempt < repetitions && !live.deps.stopped()) continue
    evidence.notMade.push(...result.notMade.map((one) => ({ run, ...one })))
    return result
  }
}

/** As drawn and scaled; where Sentinels watch, one that was made for live runs, in real milliseconds. */
function planOf({ scenario }: LoadedPair, { seed, timeScale }: LivePairRequest, run: number) {
  const made = failoverPlans[scenario.id]
  if (made !== undefined) return { plan: made.plan, choiceSeed: seed }
  const { value, choiceSeed } = drawRun(scenario, seed, run)
  return { plan: scaled(value.value, timeScale), choiceSeed }
}

function chooseRuns(
  pair: LoadedPair,
  { sink }: PairChoice,
  { run, runs, seed, timeScale, longestMs }: LivePairRequest,
  { deps, stage }: LiveContext,
): Promise<ChosenRun[]> {
  if (failoverPlans[pair.scenario.id] !== undefined)
    return Promise.resolve([{ run: 0, way: null, says: 'its plan was made for live runs', reaches: null }])
  if (run !== null) return Promise.resolve([{ run, way: null, says: notAskedOf, reaches: new Map() }])
  const isMakeable = (plan: Parameters<typeof scaled>[0]) =>
    sortFaults(plan, stage.refuses, longestMs).notMade.length === 0
  const prepare = (plan: Parameters<typeof scaled>[0]) => scaled(plan, timeScale)
  // Real machines take their time, too.
  const wanted = { longestMs: longestMs * 0.7, wanted: runs }
  return tellingRuns(pair, { seed, sink, prepare, isMakeable, ...wanted }, deps)
}

/** A plan that was made for live runs asks for what it can reach. */
async function load(choice: PairChoice, deps: CampaignDeps): Promise<LoadedPair> {
  const loaded = await deps.loadScenario(choice.scenarioPath)
  const made = failoverPlans[loaded.id]
  return {
    scenario: made === undefined ? loaded : { ...loaded, goals: made.goals },
    implementation: await deps.loadImplementation(choice.implementationPath),
  }
}

/** Bundled as simulated processes have it, so that one is there in a fraction of a second. */
async function compile(adapter: string, { folder }: Workplace): Promise<RunContext['program']> {
  const files = { main: path.join(folder, 'consumer.cjs'), adapter: path.join(folder, 'adapter.cjs') }
  fs.writeFileSync(files.main, await bundle(consumerProgram, new Map(), []))
  fs.writeFileSync(files.adapter, await bundle(adapter, new Map(), []))
  return files
}

function verdictsOn(
  { history, tooLate }: LiveRunResult,
  { scenario }: LoadedPair,
  deps: CampaignDeps,
): readonly Judgement[] {
  if (tooLate === null) return deps.judge(history, scenario.invariants)
  return scenario.invariants.map((name) => ({ name, verdict: { verdict: 'unknown', reason: tooLate } }))
}

/** What a tally counts. No digest: the next run of the same plan is another one. */
function asSimulated({ history, cells, cellsSeen }: LiveRunResult) {
  return {
    history,
    cells,
    cellsSeen,
    digest: '',
    unsupported: [],
    unstruck: [],
    choiceCount: 0,
    strikes: [],
    executed: [],
    scheduleHash: scheduleOf(history),
  }
}

/** The order of process and outcome; times left out. */
function scheduleOf({ events }: History): string {
  return events.flatMap((event) => ('process' in event ? [`${event.type} ${event.process}`] : [])).join()
}

function violationResult(
  run: number,
  { implementationName, scenarioName, sink }: PairChoice,
  { seed, withText, timeScale }: LivePairRequest,
  found: { result: LiveRunResult; invariant: ViolationResult['invariant']; violation: Violation },
  deps: CampaignDeps,
): ViolationResult {
  const { history } = found.result
  const { kind, key, sentence } = found.violation
  const facts = history.events.filter(({ type }) => type !== 'log' && type !== 'command' && type !== 'network')
  const names = `--impl ${implementationName} --scenario ${scenarioName}${sink === 'plain' ? '' : ` --sink ${sink}`}`
  return {
    invariant: found.invariant,
    kind,
    key,
    seed,
    run,
    token: null,
    sentence,
    replay: `pnpm sim live ${withText} ${names} --seed ${seed} --run ${run} --time-scale ${timeScale}`,
    story: deps.tell(history, found.violation),
    eventCount: facts.length,
    faultCount: facts.filter(({ type }) => type === 'fault-struck').length,
  }
}

function notesOf({ on, notMade, clocks, timeScale }: LiveEvidence): string[] {
  const clock = clocks === null ? [] : [`clocks of consumers were shifted by ${clocks}; their timers kept their pace`]
  return [
    `made live on ${on}, all durations of the plans × ${timeScale}`,
    ...clock,
    ...notMade.map(({ run, fault, why }) => `not made live in run ${run}: ${fault} (${why})`),
  ]
}
