/** `matrix`: what each layer holds, and what breaks it; on request, the page of the articles' patterns. */
import os from 'node:os'
import { localCrew } from '../../campaign/local-crew.ts'
import { type Cell, runMatrix } from '../../campaign/matrix.ts'
import { type ExitCode, exitCodes, type PairResult, type Results } from '../../contract/results.ts'
import { layerLines } from '../../report/matrix-lines.ts'
import { coverageLine, openCellLines, summaryLine } from '../../report/terminal.ts'
import { writeReports } from '../../report/write-reports.ts'
import { chooseCells } from '../choose-cells.ts'
import { controlPair } from '../choose-pairs.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { openPage } from '../open-page.ts'
import type { Output } from '../output.ts'
import { checkPatternsPage, writePatternsPage } from '../patterns.ts'
import { ProgressLine } from '../progress-line.ts'
import { realWorkbench } from '../real-workbench.ts'
import { latestReport, prepareReports } from '../report-folder.ts'
import { version } from '../version.ts'
import { workerCrew } from '../worker-crew.ts'

export interface MatrixOptions {
  readonly impl?: readonly string[]
  readonly scenario?: readonly string[]
  readonly seed: number
  readonly runs?: number
  readonly workers?: number
  readonly reports: string
  readonly html: boolean
  readonly open?: boolean
  /** The Markdown page to write. */
  readonly writeDocs?: string
}

/** A proof needs many runs; what is said to be broken mostly is within a few. Sized for minutes on 2 cores. */
const defaultRuns = { holds: 1_000, broken: 100 }
/** Runs that the search for a cell's smallest counterexample may cost. */
const shrinkBudget = 150

export async function matrix(options: MatrixOptions, output: Output): Promise<ExitCode> {
  prepareReports(options.reports)
  if (options.writeDocs !== undefined) checkPatternsPage(options.writeDocs, options)
  const startedMs = performance.now()
  const elapsedMs = () => performance.now() - startedMs
  const progress = new ProgressLine(output.stream, elapsedMs)
  const say = (line: string): void => {
    progress.clear()
    output.line(line)
  }
  const interrupt = listenForInterrupt(say, elapsedMs)
  try {
    const bench = realWorkbench(interrupt.stopped)
    const { runs } = options
    const wanted = { implementations: options.impl, scenarios: options.scenario }
    const cells = await chooseCells(
      { ...wanted, runs: runs === undefined ? defaultRuns : { holds: runs, broken: runs } },
      bench,
    )
    const control = await controlPair(bench)
    say(`seed ${options.seed}, ${cells.length} cells`)
    const workers = Math.min(options.workers ?? os.availableParallelism(), cells.length)
    const crew = workers === 1 ? localCrew(bench) : workerCrew(workers, interrupt.flag)
    const files = new Map<string, string>()
    const around = {
      ...{ bench, crew, elapsedMs, progress: progress.update },
      pairDone: tellLayers(cells, (pairs) => layerLines(pairs, output).forEach(say)),
      keep: (name: string, text: string) => void files.set(name, text),
    }
    const request = { cells, control, seed: options.seed, shrinkBudget, reports: options.reports }
    const { harnessFailure, ...found } = await runMatrix(request, around).finally(() => crew.close())
    const results: Results = {
      ...{ schemaVersion: 1, tool: `onceproof ${version}`, node: process.version, seed: options.seed, ...found },
      timings: { totalMs: Math.round(elapsedMs()), workers },
    }
    progress.stop()
    conclude(results, files, harnessFailure, options, output)
    if (output.json) await output.document(results)
    return results.exitCode
  } finally {
    progress.stop()
    interrupt.release()
  }
}

/** Tells of a layer once all of its cells are done. */
function tellLayers(cells: readonly Cell[], tell: (pairs: readonly PairResult[]) => void) {
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
  output.line(summaryLine(results, output))
  if (html) output.line(`report: ${folder}/index.html`)
  if (html && open) openPage(`${folder}/index.html`)
}
