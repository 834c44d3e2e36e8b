/** `run`: a campaign, its lines, its report. */
import { runCampaign } from '../../campaign/campaign.ts'
import type { CampaignRequest, PairChoice } from '../../campaign/campaign-request.ts'
import { chunkSize } from '../../campaign/run-chunk.ts'
import type { Shard } from '../../campaign/shard/choose-shard.ts'
import type { Workbench } from '../../campaign/workbench.ts'
import type { ExitCode, PairResult, Results } from '../../contract/results.ts'
import type { SinkKind } from '../../contract/sink.ts'
import { gateLines } from '../../report/gate.ts'
import { controlLines, coverageLine, openCellLines, pairLines, summaryLine } from '../../report/terminal.ts'
import { writeReports } from '../../report/write-reports.ts'
import { checkFleet } from '../check-fleet.ts'
import { choosePairs, controlPair } from '../choose-pairs.ts'
import { readCorpus } from '../corpus.ts'
import { hireCrew } from '../hire-crew.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { openPage } from '../open-page.ts'
import type { Output } from '../output.ts'
import { ProgressLine } from '../progress-line.ts'
import { findRealRedis } from '../real-redis.ts'
import { realWorkbench } from '../real-workbench.ts'
import { latestReport, prepareReports } from '../report-folder.ts'
import { type Merging, shareOut } from '../shard-part.ts'
import { UsageError } from '../usage-error.ts'
import { version } from '../version.ts'

export interface RunOptions {
  readonly impl?: readonly string[]
  readonly scenario?: readonly string[]
  readonly sink: SinkKind
  readonly seed: number
  readonly runs?: number
  /** Milliseconds. */
  readonly time?: number
  readonly workers?: number
  /** The URL of a fleet's queue. */
  readonly fleet?: string
  readonly shard?: Shard
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

/** `merging`: what shards played of it. */
export async function run(options: RunOptions, output: Output, merging: Merging | null = null): Promise<ExitCode> {
  if (options.runs !== undefined && options.time !== undefined)
    throw new UsageError('--runs and --time', 'give one of them')
  if (options.shard !== undefined && options.time !== undefined)
    throw new UsageError('--shard and --time', 'shards of a campaign that time bounds fit no whole; give --runs')
  await checkFleet(options.fleet, options.redis)
  const realRedis = await findRealRedis(options.redis)
  prepareReports(options.reports)
  const startedMs = performance.now()
  const elapsedMs = () => performance.now() - startedMs
  const progress = new ProgressLine(output.stream, elapsedMs)
  const interrupt = listenForInterrupt((line) => say(line), elapsedMs)
  const say = (line: string): void => {
    progress.clear()
    output.line(line)
  }
  try {
    const bench = realWorkbench(interrupt.stopped)
    const whole = await requestOf(options, bench, say)
    const shareable = { command: 'run' as const, options, seed: options.seed, items: whole.pairs }
    const alike = { choiceOf: (pair: PairChoice) => pair, runsOf: () => 1 }
    const sharing = await shareOut({ ...shareable, ...alike }, options.shard, merging, bench)
    const request = { ...whole, pairs: sharing.items }
    say(`seed ${options.seed}`)
    const wish = { workers: options.workers, fleet: options.fleet, tasks: chunksOf(request) }
    const { crew: hands, workers } = await hireCrew(wish, bench, interrupt, say)
    const crew = sharing.crewOf(hands, interrupt.stopped)
    const files = new Map<string, string>()
    const around = {
      ...{ bench, crew, elapsedMs, realRedis, progress: progress.update },
      pairDone: (pair: PairResult) => say(pairLines(pair, output).join('\n')),
      keep: (name: string, text: string) => void files.set(name, text),
    }
    const outcome = await runCampaign(request, around).finally(() => crew.close())
    const { harnessFailure, gate, ...found } = outcome
    const results: Results = {
      ...{ schemaVersion: 1, tool: `onceproof ${version}`, node: process.version, seed: options.seed, ...found },
      timings: { totalMs: Math.round(elapsedMs()), workers, gate },
    }
    progress.stop()
    if (!results.interrupted) sharing.leave(files)
    conclude(results, files, harnessFailure, options, output)
    if (output.json) await output.document(results)
    return results.exitCode
  } finally {
    progress.stop()
    interrupt.release()
  }
}

/** The report, and the last lines: the control's story, what it came to, where to read on. */
function conclude(
  results: Results,
  files: ReadonlyMap<string, string>,
  harnessFailure: string | null,
  { reports, html, open }: RunOptions,
  output: Output,
): void {
  const folder = latestReport(reports)
  writeReports(folder, { results, files, html })
  if (harnessFailure !== null) output.line(`the harness failed: ${harnessFailure}`)
  const { control } = results
  if (control !== null) for (const line of controlLines(control, output)) output.line(line)
  for (const layer of results.coverage)
    for (const line of [coverageLine(layer), ...openCellLines(layer)]) output.line(line)
  for (const line of gateLines(results.timings.gate)) output.line(line)
  output.line(summaryLine(results, output))
  if (html) output.line(`report: ${folder}/index.html`)
  if (html && open) openPage(`${folder}/index.html`)
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
