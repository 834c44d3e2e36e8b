/** `run`: a campaign, its lines, its report. */
import os from 'node:os'
import { runCampaign } from '../../campaign/campaign.ts'
import type { CampaignRequest } from '../../campaign/campaign-request.ts'
import { localCrew } from '../../campaign/local-crew.ts'
import { chunkSize } from '../../campaign/run-chunk.ts'
import type { Workbench } from '../../campaign/workbench.ts'
import type { ExitCode, Results } from '../../contract/results.ts'
import type { SinkKind } from '../../contract/sink.ts'
import { RunTelling } from '../../report/run-telling.ts'
import { writeReports } from '../../report/write-reports.ts'
import { choosePairs, controlPair } from '../choose-pairs.ts'
import { readCorpus } from '../corpus.ts'
import { type DetailOptions, detailOf } from '../detail.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { openPage } from '../open-page.ts'
import type { Output } from '../output.ts'
import { ProgressLine } from '../progress-line.ts'
import { findRealRedis } from '../real-redis.ts'
import { realWorkbench } from '../real-workbench.ts'
import { latestReport, prepareReports, reportFile } from '../report-folder.ts'
import { UsageError } from '../usage-error.ts'
import { version } from '../version.ts'
import { workerCrew } from '../worker-crew.ts'

export interface RunOptions extends DetailOptions {
  readonly impl?: readonly string[]
  readonly scenario?: readonly string[]
  readonly sink: SinkKind
  readonly seed: number
  readonly runs?: number
  /** Milliseconds. */
  readonly time?: number
  readonly workers?: number
  readonly bail?: boolean
  readonly reports: string
  readonly html: boolean
  readonly open?: boolean
  /** The real Redis of the gate: a program, or `host:port`. */
  readonly redis?: string
}

/** Sized so that eighteen scenarios and the control take about 30 s on 2 cores. */
const runsForEachPair = 250
/** Runs that the search for a smaller counterexample may cost. */
const shrinkBudget = 1_000

export async function run(options: RunOptions, output: Output): Promise<ExitCode> {
  if (options.runs !== undefined && options.time !== undefined)
    throw new UsageError('--runs and --time', 'give one of them')
  const detail = detailOf(options)
  const realRedis = await findRealRedis(options.redis)
  prepareReports(options.reports)
  const startedMs = performance.now()
  const elapsedMs = () => performance.now() - startedMs
  const progress = new ProgressLine(output.stream, elapsedMs, detail === 'quiet')
  const interrupt = listenForInterrupt((line) => say(line), elapsedMs)
  const say = (line: string): void => {
    progress.clear()
    output.line(line)
  }
  const telling = new RunTelling({ detail, say, options: output, report: reportFile(options) })
  try {
    const bench = realWorkbench(interrupt.stopped)
    const request = await requestOf(options, bench, telling.note)
    telling.note(`seed ${options.seed}`)
    const workers = Math.min(options.workers ?? os.availableParallelism(), chunksOf(request))
    const crew = workers === 1 ? localCrew(bench) : workerCrew(workers, interrupt.flag)
    const files = new Map<string, string>()
    const around = {
      ...{ bench, crew, elapsedMs, realRedis, progress: progress.update },
      pairDone: telling.pairDone,
      keep: (name: string, text: string) => void files.set(name, text),
    }
    const outcome = await runCampaign(request, around).finally(() => crew.close())
    const { harnessFailure, gate, ...found } = outcome
    const results: Results = {
      ...{ schemaVersion: 1, tool: `onceproof ${version}`, node: process.version, seed: options.seed, ...found },
      timings: { totalMs: Math.round(elapsedMs()), workers, gate },
    }
    progress.stop()
    conclude({ results, files, harnessFailure, telling }, options)
    if (output.json) await output.document(results)
    return results.exitCode
  } finally {
    progress.stop()
    interrupt.release()
  }
}

interface Outcome {
  readonly results: Results
  readonly files: ReadonlyMap<string, string>
  readonly harnessFailure: string | null
  readonly telling: RunTelling
}

/** The report, and the last lines: what it came to, and where to read on. */
function conclude({ results, files, harnessFailure, telling }: Outcome, options: RunOptions): void {
  const { reports, html, open } = options
  writeReports(latestReport(reports), { results, files, html })
  telling.conclude(results, harnessFailure)
  telling.note(`report: ${reportFile(options)}`)
  if (html && open) openPage(reportFile(options))
}

async function requestOf(options: RunOptions, bench: Workbench, say: (line: string) => void): Promise<CampaignRequest> {
  const wanted = { implementations: options.impl, scenarios: options.scenario, sink: options.sink }
  return {
    pairs: await choosePairs(wanted, readCorpus(), bench, say),
    control: await controlPair(bench),
    seed: options.seed,
    bound: options.time === undefined ? { runs: options.runs ?? runsForEachPair } : { timeMs: options.time },
    bail: options.bail ?? false,
    shrinkBudget,
    reports: options.reports,
  }
}

/** More workers than chunks would only be started. */
function chunksOf({ pairs, bound }: CampaignRequest): number {
  return 'runs' in bound ? pairs.length * Math.ceil(bound.runs / chunkSize) : Number.POSITIVE_INFINITY
}
