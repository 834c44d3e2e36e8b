/**
 * `matrix`: finds which scenarios each layer survives and which break it, and can write the page
 * about the articles' patterns.
 */

import type { PairPlan } from '../../campaign/play/campaign-request.ts'
import type { CampaignDeps } from '../../campaign/types.ts'
import type { ExitCode } from '../../contract/api/exit-codes.ts'
import type { PairResult, Results } from '../../contract/results/results.ts'
import { ablationLegend, ablationLines } from '../../report/ablation-lines.ts'
import { coverageLine, openCellLines, slotLines } from '../../report/coverage-lines.ts'
import { crosscheckLines } from '../../report/crosscheck.ts'
import { controlLine, notRunLines, summaryLine } from '../../report/last-lines.ts'
import { findingLines, layerLines, surpriseLines } from '../../report/matrix-lines.ts'
import { writeReports } from '../../report/write-reports.ts'
import { ablationLayers, withAblationTables } from '../ablation-tables.ts'
import { withCampaignSession } from '../campaign-session.ts'
import { cheapestScenarios } from '../catalogue.ts'
import { checkFleet } from '../check-fleet.ts'
import type { OptionsOf } from '../command-table.ts'
import { detailOf } from '../detail.ts'
import { type LayerFiles, layerFilesOf, leaveForMachines } from '../for-machines.ts'
import type { Output } from '../output.ts'
import { pageContext } from '../page-context.ts'
import { checkPatternsPage, writePatternsPage } from '../patterns.ts'
import { type PlayedCampaign, playCampaign } from '../play-campaign.ts'
import { findRealPostgres } from '../real-postgres.ts'
import { findRealRedis } from '../real-redis.ts'
import { prepareReports, printPage, reportsOption, saveReport } from '../report-folder.ts'
import { controlPair, pureScenarios } from '../select.ts'
import { selectCells, type WantedCells } from '../select-cells.ts'
import { type Merging, shareOut } from '../shard-part.ts'

type MatrixOptions = OptionsOf<'matrix'>

/**
 * Runs for each cell. A pass needs many runs, but most broken layers break within a few. In pure
 * scenarios little can go wrong, so fewer runs show a pass. With these numbers, a matrix takes
 * minutes on 2 cores.
 */
const defaultRuns = { holds: 1_000, broken: 100, pure: 250 }
/**
 * Budgets of the searches for smallest counterexamples, in events: for a layer, and for one search.
 */
const searches = { layer: 75_000, path: 15_000, checks: 0 }
/** The tables of `--steps` contain no stories, so their runs are not shrunk. */
const noSearches = { layer: 0, path: 0, checks: 0 }
/** The maximum number of open crash points that are printed for a layer. */
const mostCells = 8

/** `merging`: the results of shards; null outside of `merge`. */
export async function matrix(
  options: MatrixOptions,
  output: Output,
  merging: Merging | null = null,
): Promise<ExitCode> {
  await checkFleet(options.fleet, options.redis)
  const realRedis = await findRealRedis(options.redis)
  const realPostgres = findRealPostgres()
  prepareReports(options.reports)
  if (options.writeDocs !== undefined) checkPatternsPage(options.writeDocs, options)
  const quiet = detailOf(options) === 'quiet'
  return withCampaignSession(output, quiet, async (session) => {
    const { deps, say, files } = session
    const { seed, reports, workers, fleet } = options
    const all = await selectCells(await wantedOf(options, deps), deps, quiet ? () => {} : say)
    const shareable = { command: 'matrix' as const, options, seed, items: all }
    const sharing = await shareOut(shareable, options.shard, merging)
    const cells = sharing.items
    const control = await controlPair(deps)
    const cheaper = await cheapestScenarios(deps)
    if (!quiet) say(`seed ${seed}, ${cells.length} cells`)
    const ids = await idsOf(cells, deps)
    const pairDone = reportLayers(ids, (pairs) => {
      if (!quiet && !reportsStepsOnly(options)) layerLines(pairs, output).forEach(say)
    })
    const layers = 'as-declared' as const
    const explain = reportsStepsOnly(options) ? noSearches : searches
    const request = { pairs: cells, control, layers, seed, bail: false, cheaper, explain, reports }
    const want = { tasks: cells.length, workers, fleet, realRedis, realPostgres, pairDone }
    const layerFiles = await layerFilesOf(cells, deps)
    const end = (played: PlayedCampaign) =>
      conclude({ ...played, results: withAblationTables(played.results), files, layerFiles }, options, output)
    const played = await playCampaign(request, want, sharing, session, end)
    const results = withAblationTables(played.results)
    const exitCode = end(played)
    if (output.json) await output.document(results)
    return exitCode
  })
}

async function wantedOf(
  { impl, withNext: next, scenario, steps, runs }: MatrixOptions,
  deps: CampaignDeps,
): Promise<WantedCells> {
  const ofEach = runs === undefined ? defaultRuns : { holds: runs, broken: runs, pure: runs }
  if (!steps) return { implementations: impl, next, scenarios: scenario, runs: ofEach }
  const scenarios = scenario ?? (await pureScenarios(deps))
  return { implementations: impl ?? ablationLayers(), next, scenarios, sink: 'plain', runs: ofEach }
}

/**
 * True with `--steps`, unless `--verbose` is given: the tables then replace the longer lines about
 * each layer.
 */
function reportsStepsOnly(options: MatrixOptions): boolean {
  return options.steps === true && detailOf(options) !== 'verbose'
}

/** The id of the layer in each cell, as results contain it. */
function idsOf(cells: readonly PairPlan[], deps: CampaignDeps): Promise<string[]> {
  return Promise.all(
    cells.map(async ({ choice }) => (await deps.loadImplementation(choice.implementationPath)).implementation.id),
  )
}

/** Reports a layer when all of its cells are done. */
function reportLayers(ids: readonly string[], report: (pairs: readonly PairResult[]) => void) {
  const done = new Map<string, PairResult[]>()
  return (pair: PairResult): void => {
    const name = pair.implementation
    const pairs = [...(done.get(name) ?? []), pair]
    done.set(name, pairs)
    if (pairs.length === ids.filter((id) => id === name).length) report(pairs)
  }
}

interface Outcome extends PlayedCampaign {
  readonly files: ReadonlyMap<string, string>
  readonly layerFiles: LayerFiles
}

function conclude(
  { results, pictures, files, harnessFailure, layerFiles }: Outcome,
  options: MatrixOptions,
  output: Output,
): ExitCode {
  const { reports, html, writeDocs } = options
  const context = html ? { context: pageContext(layerFiles, reportsOption(reports)) } : {}
  const saved = saveReport(reports, (target) => writeReports(target, { results, files, html, pictures, ...context }))
  const detail = detailOf(options)
  const notes = [
    ...(detail === 'verbose' ? findingLines(results, output) : []),
    ...stepLines(results, options, output),
    ...notesOn(results, options, output),
  ]
  if (detail !== 'quiet') for (const line of notes) output.line(line)
  if (writeDocs !== undefined && !results.interrupted) {
    if (writePatternsPage(writeDocs, results)) output.line(`written: ${writeDocs}`)
  }
  if (detail === 'quiet') for (const line of surpriseLines(results, output)) output.line(line)
  if (harnessFailure !== null) output.line(`the harness failed: ${harnessFailure}`)
  output.line(summaryLine(results, output))
  const report = detail === 'quiet' ? () => {} : output.line
  printPage(options, saved, report)
  leaveForMachines(results, 'as-declared', layerFiles, options, output)
  return results.exitCode
}

/** The lines of the ablation tables. Those of single articles are included only with `--steps`. */
function stepLines({ ladders: tables = [] }: Results, { steps }: MatrixOptions, output: Output): string[] {
  const reported = tables.filter(({ name }) => steps || name === 'steps' || name === 'others')
  return reported.length === 0 ? [] : [...reported.flatMap((table) => ablationLines(table, output)), ablationLegend, '']
}

/**
 * Notes on omitted pairs, the control, gaps in the coverage of layers that hold, and the
 * crosscheck.
 */
function notesOn(results: Results, { steps }: MatrixOptions, output: Output): string[] {
  const { pairs, control, coverage, timings } = results
  const held = new Set(pairs.filter(({ expect }) => expect === 'holds').map(({ implementation }) => implementation))
  return [
    ...notRunLines(results),
    ...(control === null ? [] : [controlLine(control, output)]),
    ...coverage
      .filter(({ implementation }) => held.has(implementation) && !steps)
      .flatMap((layer) => [coverageLine(layer), ...slotLines(layer), ...openCellLines(layer, mostCells)]),
    ...crosscheckLines(timings),
  ]
}
