/** `run`: plays a campaign and reports it. */

import type { Bound, CampaignRequest, PairChoice, PairPlan } from '../../campaign/play/campaign-request.ts'
import { chunkSize } from '../../campaign/play/run-chunk.ts'
import type { CampaignDeps } from '../../campaign/types.ts'
import type { ExitCode } from '../../contract/api/exit-codes.ts'
import type { AcceptedRisk } from '../../contract/api/risk.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { NamedLayer } from '../../contract/api/two-versions.ts'
import { RunReport } from '../../report/run-report.ts'
import { sinceLast } from '../../report/since-last.ts'
import { writeReports } from '../../report/write-reports.ts'
import { withCampaignSession } from '../campaign-session.ts'
import { cheapestScenarios } from '../catalogue.ts'
import { checkFleet } from '../check-fleet.ts'
import type { OptionsOf } from '../command-table.ts'
import { readCorpus } from '../corpus.ts'
import { detailOf } from '../detail.ts'
import { type LayerFiles, layerFilesOf, leaveForMachines } from '../for-machines.ts'
import { onlyLastFailed } from '../last-failed.ts'
import type { Output } from '../output.ts'
import { pageContext } from '../page-context.ts'
import { type PlayedCampaign, playCampaign } from '../play-campaign.ts'
import { readBaseline } from '../read-baseline.ts'
import { findRealPostgres } from '../real-postgres.ts'
import { findRealRedis } from '../real-redis.ts'
import { prepareReports, printPage, reportFile, reportsOption, saveReport } from '../report-folder.ts'
import { lastResults } from '../reported-run.ts'
import { controlPair, selectUnplayed } from '../select.ts'
import { selectPairsOn } from '../select-on-sinks.ts'
import { type Merging, shareOut } from '../shard-part.ts'
import { UsageError } from '../usage-error.ts'

/**
 * The options of the command and of the config. A config may add rolling upgrades in `impl`,
 * several `sinks` (each layer is played on those that it can use), and accepted risks.
 */
export type RunOptions = Omit<OptionsOf<'run'>, 'impl'> & {
  readonly impl?: readonly NamedLayer[]
  readonly sinks?: readonly SinkKind[]
  readonly accepts?: readonly AcceptedRisk[]
}

/**
 * A pair ends when a series of runs has added no coverage; the length of the series is a tenth of
 * the minimum runs. `mostRuns` limits the search for a rare goal.
 */
const untilNothingNew = { leastRuns: 0, quietShare: 0.1, mostRuns: 250 }
const deepUntilNothingNew = { leastRuns: 250, quietShare: 1, mostRuns: 4_000 }
/**
 * Budgets of the searches for smallest counterexamples, in events: for a layer, for one search,
 * and, as part of the first, for `look` searches.
 */
export const explain = { layer: 375_000, path: 60_000, checks: 60_000 }
const deepExplain = { layer: 3_750_000, path: 150_000, checks: 1_000_000, all: true }
/**
 * The budgets with `--all`: enough for a full search for each of the many findings of a broken
 * layer.
 */
const explainAll = { ...explain, layer: 2_000_000, all: true }

/** `merging`: the results of shards; null outside of `merge`. */
export async function run(options: RunOptions, output: Output, merging: Merging | null = null): Promise<ExitCode> {
  if (options.runs !== undefined && options.time !== undefined)
    throw new UsageError('--runs and --time', 'give only one of them')
  if (options.shard !== undefined && options.time !== undefined)
    throw new UsageError('--shard and --time', 'shards of a time-bound campaign cannot be merged; give --runs')
  if (options.shard !== undefined && options.lastFailed)
    throw new UsageError('--shard and --last-failed', 'the machines share no last report; give only one of them')
  if (options.bail && options.baseline !== undefined)
    throw new UsageError('--bail and --baseline', 'a known finding would end the campaign; give only one of them')
  const baseline = readBaseline(options.baseline)
  await checkFleet(options.fleet, options.redis)
  const detail = detailOf(options)
  const realRedis = await findRealRedis(options.redis)
  const realPostgres = findRealPostgres()
  prepareReports(options.reports)
  return withCampaignSession(output, detail === 'quiet', async (session) => {
    const { deps, say, files } = session
    const ofReports = reportsOption(options.reports)
    const runReport = new RunReport({ detail, say, options: output, report: reportFile(options), ofReports })
    const asked = await requestOf(options, deps, runReport)
    const whole = baseline === undefined ? asked : { ...asked, baseline }
    const shareable = { command: 'run' as const, options, seed: options.seed, items: whole.pairs }
    const sharing = await shareOut(shareable, options.shard, merging)
    const request = { ...whole, pairs: sharing.items }
    runReport.note(`seed ${options.seed}`)
    const { workers, fleet } = options
    const { pairDone, firstViolation, firstStory } = runReport
    const want = {
      tasks: chunksOf(request),
      workers,
      fleet,
      realRedis,
      realPostgres,
      pairDone,
      firstViolation,
      firstStory,
    }
    const layerFiles = await layerFilesOf(request.pairs, deps)
    const end = (played: PlayedCampaign) => conclude({ ...played, files, runReport, layerFiles }, options, output)
    const played = await playCampaign(request, want, sharing, session, end)
    const { results } = played
    const exitCode = end(played)
    if (output.json) await output.document(results)
    return exitCode
  })
}

interface Outcome extends PlayedCampaign {
  readonly files: ReadonlyMap<string, string>
  readonly runReport: RunReport
  readonly layerFiles: LayerFiles
}

/** Writes the report, and prints the last lines: the results, and where to read more. */
function conclude(
  { results, pictures, files, harnessFailure, runReport, layerFiles }: Outcome,
  options: RunOptions,
  output: Output,
): ExitCode {
  const { reports, html } = options
  const before = lastResults(reports)
  const report = {
    results,
    files,
    html,
    pictures,
    ...(html ? { context: pageContext(layerFiles, reportsOption(reports)) } : {}),
  }
  const saved = saveReport(reports, (target) => writeReports(target, report))
  runReport.conclude(results, harnessFailure, saved !== null)
  const since = sinceLast(results, before)
  if (since !== null) runReport.note(since)
  printPage(options, saved, runReport.note)
  leaveForMachines(results, 'must-hold', layerFiles, options, output)
  return results.exitCode
}

async function requestOf(
  options: RunOptions,
  deps: CampaignDeps,
  { note, leaves }: RunReport,
): Promise<CampaignRequest> {
  const { sinks = [options.sink], impl: implementations, withNext: next, scenario: scenarios } = options
  const all = await selectPairsOn(sinks, { implementations, next, scenarios }, readCorpus(), deps, leaves)
  const chosen = options.lastFailed ? await onlyLastFailed(all, options.reports, deps, note) : all
  const { accepts } = options
  // With `--last-failed`, not all pairs are played, so a list of unplayed sinks would be
  // misleading.
  const unplayedSinks = options.lastFailed ? [] : await selectUnplayed(all, scenarios, deps)
  const choices = accepts === undefined ? chosen : chosen.map((choice) => ({ ...choice, accepts }))
  return {
    pairs: choices.map((choice) => ({ choice, bound: boundOf(options) })),
    control: await controlPair(deps),
    layers: 'must-hold',
    unplayedSinks,
    seed: options.seed,
    bail: options.bail ?? false,
    ...(exploresFirst(options) ? { exploresFirst: true } : {}),
    cheaper: await cheaperScenarios(all, options, deps),
    explain: options.deep ? deepExplain : options.all ? explainAll : explain,
    reports: options.reports,
  }
}

/**
 * False if the user asked for something else: certain scenarios, or the first violation of certain
 * runs.
 */
const exploresFirst = ({ scenario, bail, lastFailed }: RunOptions): boolean =>
  scenario === undefined && !bail && !lastFailed

/** Scenarios in which a smaller run may be shown. If the user names scenarios, only those. */
async function cheaperScenarios(all: readonly PairChoice[], { scenario }: RunOptions, deps: CampaignDeps) {
  const cheapest = await cheapestScenarios(deps)
  if (scenario === undefined) return cheapest
  return cheapest.filter((one) => all.some(({ scenarioPath }) => scenarioPath === one.scenarioPath))
}

function boundOf({ runs, time, deep }: RunOptions): Bound {
  if (time !== undefined) return { timeMs: time }
  if (runs !== undefined) return { runs }
  return deep ? deepUntilNothingNew : untilNothingNew
}

/** The number of useful workers: more workers than chunks would stay idle. */
function chunksOf({ pairs }: CampaignRequest): number {
  const chunks = ({ bound }: PairPlan) => ('runs' in bound ? Math.ceil(bound.runs / chunkSize) : 4)
  return pairs.reduce((sum, pair) => sum + chunks(pair), 0)
}
