/** `replay`: plays one run again, in this thread, so that a debugger can stop in the adapter. */

import { drawRun } from '../../campaign/play/draw-run.ts'
import { type LoadedPair, loadPair } from '../../campaign/play/load-pair.ts'
import { type ReplayOutcome, replayRun, unknownFault } from '../../campaign/replay/replay.ts'
import type { PairName } from '../../campaign/token/pair-ref.ts'
import { campaignAgain, lastFailedAgain, replayByAddress, replayRecorded } from '../../campaign/token/replay-command.ts'
import type { RecordedRun } from '../../campaign/token/token.ts'
import type { Trail } from '../../campaign/token/trail.ts'
import type { CampaignDeps } from '../../campaign/types.ts'
import { type ExitCode, exitCodes } from '../../contract/api/exit-codes.ts'
import { canonicalJson } from '../../contract/api/json.ts'
import { nameOfBoth } from '../../contract/api/two-versions.ts'
import type { Results } from '../../contract/results/results.ts'
import { chromeTrace } from '../../report/machines/chrome-trace.ts'
import { page } from '../../report/page/page.ts'
import type { OptionsOf } from '../command-table.ts'
import { createDeps } from '../create-deps.ts'
import { leaveFile } from '../leave-file.ts'
import type { Output } from '../output.ts'
import { printReplay } from '../print-replay.ts'
import { readRun } from '../read-run.ts'
import { reportsOption } from '../report-folder.ts'
import { type ReportedRun, reportedRun } from '../reported-run.ts'
import { type Selected, select, selectVersions, usualSink } from '../select.ts'
import { selectRecorded, selectRecordedLayer } from '../select-recorded.ts'
import { createStatusTable, endProgramsAtExit, takeSlot } from '../status-table.ts'
import { resultsHead } from '../tool-identity.ts'
import { UsageError } from '../usage-error.ts'
import { startWatchdog } from '../watchdog.ts'

type ReplayOptions = OptionsOf<'replay'>

/** The run to play: recorded in a token, or drawn from its seed and number. */
interface Order {
  readonly pair: LoadedPair
  readonly address: Omit<RecordedRun, keyof Trail>
  readonly expected: RecordedRun | null
  readonly command: string
  /** Commands that play a campaign of the pair with the current version of the layer. */
  readonly campaign: { readonly ofScenario: string; readonly ofLastFailed: string }
}

/** `asked`: a token, a file, or an id of the last report. Absent: options identify the run. */
export async function replay(asked: string | undefined, given: ReplayOptions, output: Output): Promise<ExitCode> {
  const reported = asked === undefined ? null : reportedRun(asked, given)
  const { token = reported === null ? asked : undefined } = reported ?? {}
  const { impl: _impl, sink: _sink, ...left } = given
  const options = reported === null ? given : { ...left, ...reported.options }
  const startedMs = performance.now()
  const statusTable = createStatusTable()
  endProgramsAtExit(statusTable)
  const deps = createDeps(() => false, takeSlot(statusTable))
  const order = token === undefined ? await orderByAddress(options, deps) : await orderByToken(token, options, deps)
  if (typeof order === 'string') return leftItsPath(order, output)
  const stopWatching = startWatchdog(statusTable, output.json, () => undefined)
  const madeFrom = madeFromOf(order, reported)
  const how = { command: order.command, madeFrom, pictured: options.html !== undefined }
  const outcome = await replayRun(order.pair, order.address, order.expected, how, deps).finally(stopWatching)
  const results = resultsOf(outcome, performance.now() - startedMs)
  if (output.json) await output.document(results)
  else {
    const origin = madeFrom ?? `seed ${order.address.seed}, run ${order.address.run}`
    const { ofScenario, ofLastFailed } = order.campaign
    const next = reported === null ? ofScenario : `${ofLastFailed}${reportsOption(given.reports)}`
    printReplay(outcome, options.trace ?? false, { origin, next }, output)
  }
  leaveFiles(outcome, results, options)
  return outcome.exitCode
}

/**
 * The drawn run from which the played run was made; null if the played run is as it was drawn. A
 * report names the scenario of the drawn run; a token does not.
 */
function madeFromOf({ address, pair, expected }: Order, reported: ReportedRun | null): string | null {
  const { seed, run, scenario } = address
  if (expected === null || isAsDrawn(pair, expected)) return null
  if (reported === null) return `made from run ${run} of seed ${seed}, of this scenario or a more expensive one`
  return `shrunk from run ${run} of ${reported.drawnIn ?? scenario}, seed ${seed}`
}

function isAsDrawn({ scenario }: LoadedPair, { seed, run, plan, choiceSeed, choices }: RecordedRun): boolean {
  const drawn = drawRun(scenario, seed, run)
  const isPlan = canonicalJson(drawn.value.value) === canonicalJson(plan)
  return isPlan && choices === undefined && drawn.choiceSeed === choiceSeed
}

function leaveFiles({ history, pictures }: ReplayOutcome, results: Results, { traceFile, html }: ReplayOptions): void {
  if (traceFile !== undefined) leaveFile('--trace-file', traceFile, `${JSON.stringify(chromeTrace(history))}\n`)
  if (html !== undefined) leaveFile('--html', html, page(results, pictures))
}

async function orderByToken(token: string, options: ReplayOptions, deps: CampaignDeps): Promise<Order | string> {
  const beside = ['reports', 'trace', 'traceFile', 'html', 'json', 'impl', 'withNext', 'scenario']
  const extra = Object.keys(options).find((name) => !beside.includes(name))
  if (extra !== undefined) throw new UsageError(`option --${extra}`, 'a token contains everything; remove the option')
  const read = readRun(token)
  if ('incompatible' in read) return read.incompatible
  const fault = unknownFault(read.run)
  if (fault !== null) return `this version does not know the fault ${fault} of its plan`
  const { scenario, implementation } = read.run
  const where = await selectRecorded('scenario', scenario, options.scenario, deps)
  const layer = await selectRecordedLayer(implementation, options, deps)
  const pair = await load(where, layer, deps)
  const names = { implementation: layer.name, scenario: where.name, sink: read.run.sink }
  const command = replayRecorded(token, names)
  return { pair, address: read.run, expected: read.run, command, campaign: campaignsOf(names) }
}

async function orderByAddress(options: ReplayOptions, deps: CampaignDeps): Promise<Order> {
  const { impl, withNext, scenario, run, seed = 1 } = options
  if (impl === undefined || scenario === undefined || run === undefined)
    throw new UsageError('replay', 'give a token, a file, or all of --seed, --run, --impl and --scenario')
  const [where] = await select('scenario', [scenario], deps)
  const [layer] = await selectVersions([impl], withNext, deps)
  const pair = await load(where!, layer!, deps)
  const { value, choiceSeed } = drawRun(pair.scenario, seed, run)
  const implementation = withNext === undefined ? impl : nameOfBoth({ from: impl, next: withNext })
  const { sink = usualSink(pair.implementation.implementation) } = options
  const address = { scenario, implementation, sink, seed, run, plan: value.value, choiceSeed }
  const command = replayByAddress(address)
  return { pair, address, expected: null, command, campaign: campaignsOf(address) }
}

const campaignsOf = (pair: PairName) => ({ ofScenario: campaignAgain(pair), ofLastFailed: lastFailedAgain(pair) })

function load(where: Selected, layer: Selected, deps: CampaignDeps): Promise<LoadedPair> {
  return loadPair({ scenarioPath: where.path, implementationPath: layer.path }, deps)
}

async function leftItsPath(leftAt: string, output: Output): Promise<ExitCode> {
  output.line(`diverged: ${leftAt}`)
  const followed = { n: 0, of: null, leftAt }
  if (output.json) await output.document({ schemaVersion: 1, exitCode: exitCodes.unknown, pairs: [], followed })
  return exitCodes.unknown
}

function resultsOf(
  { pair, followed, exitCode, recorded }: ReplayOutcome,
  tookMs: number,
): Results & { followed: object } {
  return {
    ...resultsHead(recorded.seed),
    bounded: 'runs',
    interrupted: false,
    exitCode,
    pairs: [pair],
    control: null,
    rootCauses: [],
    findings: [],
    notRun: [],
    coverage: [],
    followed,
    timings: { totalMs: Math.round(tookMs) },
  }
}
