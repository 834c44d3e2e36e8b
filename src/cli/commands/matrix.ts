/** `matrix`: what each layer holds, and what breaks it; on request, the page of the articles' patterns. */
import { type MatrixCell, runMatrix } from '../../campaign/matrix.ts'
import type { Shard } from '../../campaign/shard/choose-shard.ts'
import { type ExitCode, exitCodes, type PairResult, type Results } from '../../contract/results.ts'
import { gateLines } from '../../report/gate.ts'
import { layerLines } from '../../report/matrix-lines.ts'
import { coverageLine, openCellLines, summaryLine } from '../../report/terminal.ts'
import { writeReports } from '../../report/write-reports.ts'
import { inRoom } from '../campaign-room.ts'
import { checkFleet } from '../check-fleet.ts'
import { chooseCells } from '../choose-cells.ts'
import { controlPair } from '../choose-pairs.ts'
import { openPage } from '../open-page.ts'
import type { Output } from '../output.ts'
import { checkPatternsPage, writePatternsPage } from '../patterns.ts'
import { findRealRedis } from '../real-redis.ts'
import { latestReport, prepareReports } from '../report-folder.ts'
import { type Merging, shareOut } from '../shard-part.ts'
import { version } from '../version.ts'

export interface MatrixOptions {
  readonly impl?: readonly string[]
  readonly scenario?: readonly string[]
  readonly seed: number
  readonly runs?: number
  readonly workers?: number
  /** The URL of a fleet's queue. */
  readonly fleet?: string
  readonly shard?: Shard
  readonly reports: string
  readonly html: boolean
  readonly open?: boolean
  /** The real Redis of the gate: a program, or `host:port`. */
  readonly redis?: string
  /** The Markdown page to write. */
  readonly writeDocs?: string
}

/** A proof needs many runs; what is said to be broken mostly is within a few. Sized for minutes on 2 cores. */
const defaultRuns = { holds: 1_000, broken: 100 }
/** Runs that the search for a cell's smallest counterexample may cost. */
const shrinkBudget = 150

/** `merging`: what shards played of it. */
export async function matrix(
  options: MatrixOptions,
  output: Output,
  merging: Merging | null = null,
): Promise<ExitCode> {
  await checkFleet(options.fleet, options.redis)
  const realRedis = await findRealRedis(options.redis)
  prepareReports(options.reports)
  if (options.writeDocs !== undefined) checkPatternsPage(options.writeDocs, options)
  return inRoom(output, async ({ bench, elapsedMs, say, stopProgress, files, campaign }) => {
    const { runs, seed, reports } = options
    const wanted = { implementations: options.impl, scenarios: options.scenario }
    const all = await chooseCells(
      { ...wanted, runs: runs === undefined ? defaultRuns : { holds: runs, broken: runs } },
      bench,
    )
    const shareable = { command: 'matrix' as const, options, seed, items: all }
    const each = { choiceOf: ({ choice }: MatrixCell) => choice, runsOf: (cell: MatrixCell) => cell.runs }
    const sharing = await shareOut({ ...shareable, ...each }, options.shard, merging, bench)
    const cells = sharing.items
    const control = await controlPair(bench)
    say(`seed ${seed}, ${cells.length} cells`)
    const pairDone = tellLayers(cells, (pairs) => layerLines(pairs, output).forEach(say))
    const want = { tasks: cells.length, workers: options.workers, fleet: options.fleet, realRedis, pairDone }
    const { harnessFailure, results } = await campaign(want, async (around, workers) => {
      const { harnessFailure, gate, ...found } = await runMatrix(
        { cells, control, seed, shrinkBudget, reports },
        { ...around, crew: sharing.crewOf(around.crew, around.bench.stopped) },
      )
      const results: Results = {
        ...{ schemaVersion: 1, tool: `onceproof ${version}`, node: process.version, seed, ...found },
        timings: { totalMs: Math.round(elapsedMs()), workers, gate },
      }
      return { harnessFailure, results }
    })
    stopProgress()
    if (!results.interrupted) sharing.leave(files)
    conclude(results, files, harnessFailure, options, output)
    if (output.json) await output.document(results)
    return results.exitCode
  })
}

/** Tells of a layer once all of its cells are done. */
function tellLayers(cells: readonly MatrixCell[], tell: (pairs: readonly PairResult[]) => void) {
  const done = new Map<string, PairResult[]>()
  return (pair: PairResult): void => {
    const name = pair.implementation
    const pairs = [...(done.get(name) ?? []), pair]
    done.set(name, pairs)
    if (pairs.length === cells.filter(({ id }) => id === name).length) tell(pairs)
  }
}

function conclude(
  results: Results,
  files: ReadonlyMap<string, string>,
  harnessFailure: string | null,
  { reports, html, open, writeDocs }: MatrixOptions,
  output: Output,
): void {
  const folder = latestReport(reports)
  writeReports(folder, { results, files, html })
  if (writeDocs !== undefined && results.exitCode !== exitCodes.interrupted) {
    writePatternsPage(writeDocs, results)
    output.line(`written: ${writeDocs}`)
  }
  if (harnessFailure !== null) output.line(`the harness failed: ${harnessFailure}`)
  const held = new Set(
    results.pairs.filter(({ expect }) => expect === 'holds').map(({ implementation }) => implementation),
  )
  for (const layer of results.coverage.filter(({ implementation }) => held.has(implementation)))
    for (const line of [coverageLine(layer), ...openCellLines(layer)]) output.line(line)
  for (const line of gateLines(results.timings.gate)) output.line(line)
  output.line(summaryLine(results, output))
  if (html) output.line(`report: ${folder}/index.html`)
  if (html && open) openPage(`${folder}/index.html`)
}
