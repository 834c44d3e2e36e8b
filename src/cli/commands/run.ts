/** `run`: a campaign, its lines, its report. */
import { runCampaign } from '../../campaign/campaign.ts'
import type { Bound, CampaignRequest, PairChoice, PairPlan } from '../../campaign/campaign-request.ts'
import { chunkSize } from '../../campaign/run-chunk.ts'
import type { Workbench } from '../../campaign/workbench.ts'
import type { ExitCode, Finding, PairResult, Results, ViolationResult } from '../../contract/results.ts'
import type { SinkKind } from '../../contract/sink.ts'
import { gateLines } from '../../report/gate.ts'
import { controlLines, coverageLine, openCellLines, pairLine, summaryLine } from '../../report/terminal.ts'
import { writeReports } from '../../report/write-reports.ts'
import { inRoom } from '../campaign-room.ts'
import { cheapestScenarios, choosePairs, controlPair } from '../choose-pairs.ts'
import { readCorpus } from '../corpus.ts'
import { openPage } from '../open-page.ts'
import type { Output } from '../output.ts'
import { findRealRedis } from '../real-redis.ts'
import { latestReport, prepareReports } from '../report-folder.ts'
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
  readonly bail?: boolean
  /** Plays on where little is new, and looks closer at what broke. */
  readonly deep?: boolean
  readonly reports: string
  readonly html: boolean
  readonly open?: boolean
  /** The real Redis of the gate: a program, or `host:port`. */
  readonly redis?: string
}

/** A pair ends when so many runs in a row brought nothing new; a rare goal has until `mostRuns`. */
const untilNothingNew = { quietRuns: 25, mostRuns: 250 }
const deepUntilNothingNew = { quietRuns: 250, mostRuns: 4_000 }
/** Events that the searches for a layer's smallest counterexamples may play: together, one of them, and second looks. */
const explain = { layer: 300_000, path: 40_000, checks: 60_000 }
const deepExplain = { layer: 3_000_000, path: 150_000, checks: 1_000_000 }

export async function run(options: RunOptions, output: Output): Promise<ExitCode> {
  if (options.runs !== undefined && options.time !== undefined)
    throw new UsageError('--runs and --time', 'give one of them')
  const realRedis = await findRealRedis(options.redis)
  prepareReports(options.reports)
  return inRoom(output, async ({ bench, elapsedMs, say, stopProgress, files, campaign }) => {
    const request = await requestOf(options, bench, say)
    say(`seed ${options.seed}`)
    const want = {
      ...{ tasks: chunksOf(request), workers: options.workers, realRedis },
      pairDone: (pair: PairResult) => say(pairLine(pair, output)),
      firstViolation: (choice: PairChoice, violation: ViolationResult) =>
        say(firstViolationLine({ ...choice, ...violation }, output)),
      firstStory: (_: PairChoice, story: Omit<Finding, 'id' | 'seenIn' | 'runs'>) =>
        firstStoryLines(story, output).forEach(say),
    }
    const { harnessFailure, results } = await campaign(want, async (around, workers) => {
      const { harnessFailure, gate, ...found } = await runCampaign(request, around)
      const results: Results = {
        ...{ schemaVersion: 1, tool: `onceproof ${version}`, node: process.version, seed: options.seed, ...found },
        timings: { totalMs: Math.round(elapsedMs()), workers, gate },
      }
      return { harnessFailure, results }
    })
    stopProgress()
    conclude(results, files, harnessFailure, options, output)
    if (output.json) await output.document(results)
    return results.exitCode
  })
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
  for (const f of results.findings)
    output.line(
      `${f.implementation} ${f.id} ${f.cause.invariant} ${f.cause.kind} {${f.cause.path}} needs [${f.cause.needs}] runs ${f.runs} in ${f.seenIn.length} ${f.shrunk ? 'shrunk' : 'unshrunk'} ${f.scenario} f${f.faultCount} e${f.eventCount}`,
    )
  output.line(summaryLine(results, output))
  if (html) output.line(`report: ${folder}/index.html`)
  if (html && open) openPage(`${folder}/index.html`)
}

async function requestOf(options: RunOptions, bench: Workbench, say: (line: string) => void): Promise<CampaignRequest> {
  const wanted = { implementations: options.impl, scenarios: options.scenario, sink: options.sink }
  const choices = await choosePairs(wanted, readCorpus(), bench, say)
  return {
    pairs: choices.map((choice) => ({ choice, bound: boundOf(options) })),
    control: await controlPair(bench),
    seed: options.seed,
    bail: options.bail ?? false,
    cheaper: await cheapestScenarios(bench),
    explain: options.deep ? deepExplain : explain,
    reports: options.reports,
  }
}

function boundOf({ runs, time, deep }: RunOptions): Bound {
  if (time !== undefined) return { timeMs: time }
  if (runs !== undefined) return { runs }
  return deep ? deepUntilNothingNew : untilNothingNew
}

/** More workers than chunks would only be started. */
function chunksOf({ pairs }: CampaignRequest): number {
  const chunks = ({ bound }: PairPlan) => ('runs' in bound ? Math.ceil(bound.runs / chunkSize) : 4)
  return pairs.reduce((sum, pair) => sum + chunks(pair), 0)
}

function firstViolationLine(v: PairChoice & ViolationResult, _: Output): string {
  return `violated: ${v.implementationName} × ${v.scenarioName}: ${v.invariant} ${v.kind}, seed ${v.seed}, run ${v.run}, not yet shrunk: ${v.replay}`
}

function firstStoryLines(story: Omit<Finding, 'id' | 'seenIn' | 'runs'>, _: Output): string[] {
  return [
    '',
    `${story.cause.invariant}: ${story.cause.kind}`,
    ...story.story.map((line) => `  ${line}`),
    `replay: ${story.replay}`,
    '',
  ]
}
