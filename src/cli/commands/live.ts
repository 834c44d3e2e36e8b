/**
 * `live`: plays scenarios on real Redis and PostgreSQL, behind a real proxy, with operating-system
 * processes.
 */

import { shapeFor } from '../../campaign/live/chosen-runs.ts'
import { failoverPlans } from '../../campaign/live/failover-plans.ts'
import type { LiveHost } from '../../campaign/live/live-host.ts'
import { livePair } from '../../campaign/live/live-pair.ts'
import type { PairChoice } from '../../campaign/play/campaign-request.ts'
import { failureOf } from '../../campaign/play/harness-failure.ts'
import { exitCodeOf, mustHold } from '../../campaign/results/exit-code.ts'
import { pairName } from '../../campaign/token/pair-ref.ts'
import { liveAgain, liveAgainRecorded } from '../../campaign/token/replay-command.ts'
import { type ExitCode, exitCodes } from '../../contract/api/exit-codes.ts'
import type { Scenario } from '../../contract/api/scenario.ts'
import type { Shape } from '../../contract/api/store.ts'
import type { PairResult, Results } from '../../contract/results/results.ts'
import { NotCleared } from '../../live/environment/not-cleared.ts'
import { LiveProblem } from '../../live/environment/problem.ts'
import { summaryLine } from '../../report/last-lines.ts'
import { pairLines } from '../../report/terminal.ts'
import { writeReports } from '../../report/write-reports.ts'
import { type CampaignSession, withCampaignSession } from '../campaign-session.ts'
import type { OptionsOf } from '../command-table.ts'
import { createLiveHost } from '../live-host.ts'
import { liveLines } from '../live-lines.ts'
import { chooseRecorded, type RecordedChoice } from '../live-token.ts'
import type { Output } from '../output.ts'
import { prepareReports, printPage, saveReport } from '../report-folder.ts'
import { selectPairs } from '../select.ts'
import { refuseMutants, refusePrograms } from '../simulated-only.ts'
import { storesOf } from '../stores-of.ts'
import { resultsHead } from '../tool-identity.ts'
import { UsageError } from '../usage-error.ts'
import { withEnvironment } from '../with-environment.ts'

/** `given`: the names of the options on the command line. */
type LiveOptions = OptionsOf<'live'> & { readonly given: ReadonlySet<string> }

/** The scenarios that are played by default. They take a minute or two. */
const defaultScenarios = [
  'competing-consumers',
  'crash-mid-logic',
  'lost-reply',
  'network-partition',
  'postgres-crash',
  'redis-failover',
  'slow-lock-holder',
]

/**
 * The maximum duration of a run, in milliseconds. Including set-up and tear-down, a run then takes
 * less than 15 s.
 */
const longestMs = 12_000

/** `token`: a recorded run, or a file with one, which is played instead of runs of the seed. */
export async function live(token: string | undefined, options: LiveOptions, output: Output): Promise<ExitCode> {
  prepareReports(options.reports)
  return withCampaignSession(output, false, async ({ deps, elapsedMs, say, progress, stopProgress }) => {
    const named = (options.impl ?? []).map((layer) => ['--impl', layer] as const)
    refusePrograms([...named, ['--with-next', options.withNext]], 'live')
    const recorded = token === undefined ? null : await chooseRecorded(token, options, deps)
    const all = recorded === null ? await choosePairs(options, deps) : [recorded.choice]
    await refuseMutants(all, 'live', deps)
    const stores = await storesOf(all, 'live', deps)
    const { seed } = recorded?.recorded ?? options
    return withEnvironment(options, stores, say, async (environment, directory) => {
      say(`with ${environment.about}`)
      say(`seed ${seed}`)
      const { timeScale, margin: marginMs } = options
      const host = createLiveHost(environment, directory, { timeScale, marginMs, longestMs, stopped: deps.stopped })
      const choices: PairChoice[] = []
      const leftOut = new Map<string, Shape>()
      for (const one of all) {
        const shape = shapeFor(await deps.loadScenario(one.scenarioPath), { recorded: recorded?.recorded ?? null })
        if (environment.shapes.includes(shape)) choices.push(one)
        else leftOut.set(one.scenarioName, shape)
      }
      for (const [name, shape] of leftOut)
        leaveOut(name, shape, options.scenario !== undefined || recorded !== null, say)
      const play = { deps, host, progress, say, withText: environment.wish, recorded }
      const done = await playAll(choices, { ...options, seed }, play, output)
      const { refusal } = done
      const interrupted = deps.stopped() || refusal !== null
      const harnessFailed = done.failure !== null && refusal === null
      const judged = exitCodeOf(done.pairs, mustHold, { interrupted: deps.stopped(), harnessFailed })
      // An earlier violation takes precedence over the refusal to continue.
      const isRefused = refusal !== null && done.pairs.every(({ verdict }) => verdict !== 'violated')
      const results: Results = {
        ...resultsHead(seed),
        bounded: 'runs',
        interrupted,
        exitCode: isRefused ? exitCodes.usage : judged,
        pairs: done.pairs,
        control: null,
        rootCauses: [],
        findings: [],
        notRun: [],
        coverage: [],
        timings: { totalMs: Math.round(elapsedMs()) },
      }
      stopProgress()
      const exitCode = conclude(results, isRefused ? null : done.failure, options, output)
      if (isRefused) throw new UsageError(refusal.culprit, refusal.remedy)
      if (output.json) await output.document(results)
      return exitCode
    })
  })
}

interface Play {
  readonly deps: CampaignSession['deps']
  readonly host: LiveHost
  readonly progress: CampaignSession['progress']
  readonly say: (line: string) => void
  readonly withText: string
  readonly recorded: RecordedChoice | null
}

interface Played {
  readonly pairs: PairResult[]
  /** Why pairs are missing or unreliable; null if there is no reason. */
  readonly failure: string | null
  /**
   * The error if a database that the user named still has data of a run, so that no other run can
   * use it.
   */
  readonly refusal: NotCleared | null
}

/**
 * Plays one pair after the other, because parallel runs would slow each other down. Later problems
 * do not discard earlier results.
 */
async function playAll(
  choices: readonly PairChoice[],
  { seed, run, runs, timeScale }: LiveOptions,
  { progress, say, withText, recorded, ...context }: Play,
  output: Output,
): Promise<Played> {
  const pairs: PairResult[] = []
  for (const choice of choices) {
    if (context.deps.stopped()) break
    const names = { implementation: choice.implementationName, scenario: choice.scenarioName }
    const again = (number: number) =>
      recorded === null
        ? liveAgain(withText, { ...pairName(choice), seed, run: number }, timeScale)
        : liveAgainRecorded(recorded.token, withText, recorded.recorded, timeScale)
    const request = { seed, run: run ?? null, recorded: recorded?.recorded ?? null, runs, timeScale, longestMs, again }
    const report = (done: number, of: number) => progress({ phase: 'running', ...names, runs: done, runsRequested: of })
    report(0, runs)
    try {
      const pair = await livePair(choice, request, { ...context, progress: report })
      pairs.push(pair)
      for (const line of [...pairLines(pair, output), ...liveLines(pair)]) say(line)
    } catch (error) {
      if (!(error instanceof LiveProblem)) throw error
      const failure = `${names.implementation} under ${names.scenario}: ${error.message}`
      return { pairs, failure, refusal: error instanceof NotCleared ? error : null }
    }
  }
  return { pairs, failure: failureOf(pairs, null), refusal: null }
}

function conclude(results: Results, failure: string | null, options: LiveOptions, output: Output): ExitCode {
  const { reports, html } = options
  const saved = saveReport(reports, (target) => writeReports(target, { results, files: new Map(), html }))
  if (failure !== null) output.line(`the live run failed: ${failure}`)
  output.line(summaryLine(results, output))
  printPage(options, saved, output.line)
  return results.exitCode
}

async function choosePairs(options: LiveOptions, deps: CampaignSession['deps']): Promise<PairChoice[]> {
  const { impl: implementations, withNext: next, sink, run = 0 } = options
  // By default, scenarios without this run are omitted.
  const { scenario: scenarios = defaultScenarios.filter((id) => hasRun(id, run)) } = options
  const all = await selectPairs({ implementations, next, scenarios, sink }, [], deps)
  for (const { scenarioPath } of all) checkMakeable(await deps.loadScenario(scenarioPath), run)
  return all
}

/**
 * True if the scenario has a plan with this number. Scenarios with several servers have a fixed
 * list of plans for live runs.
 */
const hasRun = (scenario: string, run: number): boolean =>
  failoverPlans[scenario] === undefined || failoverPlans[scenario][run] !== undefined

/** @throws UsageError for a scenario without live plans, or without one for this run */
function checkMakeable({ id, shape }: Scenario, run: number): void {
  if (!hasRun(id, run)) {
    const last = failoverPlans[id]!.length - 1
    const its = last === 0 ? 'one plan for live runs (run 0)' : `plans for live runs 0 to ${last}`
    throw new UsageError(`--run ${run}`, `${id} has only ${its}; choose another scenario`)
  }
  if (shape === 'single' || shape === 'independent' || failoverPlans[id] !== undefined) return
  const made = Object.keys(failoverPlans).join(', ')
  throw new UsageError(`--scenario ${id}`, `not supported live; supported with several servers: ${made}`)
}

const whyLeftOut: Readonly<Record<Shape, string>> = {
  single: 'needs one server',
  sentinel: 'needs several servers and Sentinels; use --with local or --with docker',
  cluster: 'needs a Redis Cluster; use --with local',
  independent: 'needs several independent servers; use --with local',
}

/**
 * Reports a scenario whose servers cannot be started.
 * @throws UsageError if the user named the scenario
 */
function leaveOut(scenario: string, shape: Shape, asked: boolean, say: (line: string) => void): void {
  const why = whyLeftOut[shape]
  if (asked) throw new UsageError(`--scenario ${scenario}`, why)
  say(`left out: ${scenario} (${why})`)
}
