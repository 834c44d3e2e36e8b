/** `explore`: plays every order of a few deliveries of one key, with faults at every step. */

import { type Exploration, exploreLayer } from '../../campaign/explore/explore-layer.ts'
import { exploredSeed } from '../../campaign/explore/explore-orders.ts'
import {
  type Bounds,
  explorableKinds,
  sentinelKinds,
  shapesFor,
  usualKinds,
} from '../../campaign/explore/explore-plan.ts'
import { judgingScenario, judgingWithSentinels } from '../../campaign/explore/explored-scenario.ts'
import type { BrokenOrder, Shape } from '../../campaign/play/explore-tasks.ts'
import { loadPair } from '../../campaign/play/load-pair.ts'
import { replayRun } from '../../campaign/replay/replay.ts'
import { replayRecorded } from '../../campaign/token/replay-command.ts'
import { encodeToken } from '../../campaign/token/token.ts'
import type { CampaignDeps } from '../../campaign/types.ts'
import { type ExitCode, exitCodes } from '../../contract/api/exit-codes.ts'
import { usualShapes } from '../../contract/api/scenario.ts'
import { type StoreKind, usualStores } from '../../contract/api/store.ts'
import { launcher } from '../../contract/results/launcher.ts'
import { aboutText, elapsedText } from '../../contract/results/time-text.ts'
import { counted } from '../../report/figures.ts'
import { withCampaignSession } from '../campaign-session.ts'
import { checkFleet } from '../check-fleet.ts'
import type { OptionsOf } from '../command-table.ts'
import { suggestion } from '../nearest.ts'
import type { Output } from '../output.ts'
import { printReplay } from '../print-replay.ts'
import { type SelectedLayer, selectLayers, selectScenarios } from '../select.ts'
import { UsageError } from '../usage-error.ts'

type ExploreOptions = OptionsOf<'explore'>

/** The most runs of one placement of faults. */
const mostRuns = 20_000
/** Without `--time`, longer explorations are refused. The first estimate is made after a while. */
const longestMs = 600_000
const estimateAfterMs = 10_000

export async function explore(options: ExploreOptions, output: Output): Promise<ExitCode> {
  const bounds: Bounds = { ...options, kinds: kindsOf(options) }
  await checkFleet(options.fleet, undefined)
  return withCampaignSession(output, true, async ({ deps, elapsedMs, say, campaign, stop }) => {
    const { impl, sink } = options
    const [layer] = await selectLayers({ implementations: impl === undefined ? undefined : [impl], sink }, deps)
    const store = storeOf(layer!)
    const sentinels = options.sentinels === true
    if (sentinels) checkSentinels(layer!, store)
    const [where] = await selectScenarios([sentinels ? judgingWithSentinels : judgingScenario[store]], deps)
    const shapes = shapesFor(layer!.implementation)
    for (const line of boundLines(layer!.implementationName, bounds, shapes)) say(line)
    const endedByTime = options.time === undefined ? null : setTimeout(stop, options.time)
    const startedMs = elapsedMs()
    let tooLongMs: number | null = null
    let shownMs = startedMs
    const { workers, fleet } = options
    const exploration = await campaign({ tasks: 64, workers, fleet }, ({ executor }) =>
      exploreLayer(
        {
          ...{ ...refOf(layer!), ...where!, bounds, shapes, store, bail: options.all !== true, runs: mostRuns },
          ...(sentinels ? { sentinels } : {}),
        },
        {
          executor,
          stopped: deps.stopped,
          progress: ({ faults, done, of, runs }) => {
            const passedMs = elapsedMs() - startedMs
            const leftMs = (passedMs / done) * (of - done)
            if (options.time === undefined && done >= 4 && passedMs > estimateAfterMs && leftMs > longestMs) {
              tooLongMs = leftMs
              stop()
            }
            if (of === 1 || elapsedMs() - shownMs < 5_000) return
            shownMs = elapsedMs()
            say(
              `${counted(faults, 'fault')}: ${done} of ${of} placements, ${counted(runs, 'run')}, ${leftText(leftMs)}`,
            )
          },
        },
      ),
    )
    if (endedByTime !== null) clearTimeout(endedByTime)
    if (tooLongMs !== null)
      throw new UsageError('these bounds', `take ${aboutText(tooLongMs)}; give --time, or smaller bounds`)
    const tookMs = elapsedMs() - startedMs
    for (const line of linesOf(exploration, tookMs, sentinels)) say(line)
    const [smallest] = exploration.found.broken
    const token = smallest === undefined ? null : await show(smallest, layer!, where!, deps, output)
    const exitCode = exitCodeOf(exploration)
    if (output.json) await output.document(documentOf(exploration, { bounds, tookMs, token, exitCode }))
    return exitCode
  })
}

const leftText = (ms: number) => `${aboutText(ms)} left`

function kindsOf({ kinds, sentinels }: ExploreOptions): readonly string[] {
  if (kinds === undefined) return sentinels ? sentinelKinds : usualKinds
  const named = kinds.split(',')
  for (const kind of named)
    if (!explorableKinds.includes(kind))
      throw new UsageError(`--kinds ${kind}`, suggestion(kind, explorableKinds, explorableKinds.join(', ')))
  return named
}

function storeOf({ implementationName, implementation }: SelectedLayer): StoreKind {
  const stores = implementation.stores ?? usualStores
  if (stores.length > 1)
    throw new UsageError(
      implementationName,
      `its stores are ${stores.join(' and ')}; \`explore\` plays layers on one store`,
    )
  return stores[0]!
}

function checkSentinels({ implementationName, implementation }: SelectedLayer, store: StoreKind): void {
  const { shapes = usualShapes } = implementation
  if (store !== 'redis' || !shapes.includes('sentinel'))
    throw new UsageError('--sentinels', `${implementationName} does not use Redis with Sentinels; omit the option`)
}

function boundLines(name: string, { deliveries, faults, kinds }: Bounds, shapes: readonly Shape[]): string[] {
  const most = faults === 0 ? 'without faults' : `with at most ${counted(faults, 'fault')}`
  const to = `to ${counted(deliveries, 'consumer')}${shapes.includes('together') ? ', then to one at once' : ''}`
  const first = `${name}: every order of ${counted(deliveries, 'delivery', 'deliveries')} of one key, ${most}`
  if (faults === 0) return [first, `  deliveries        ${to}`]
  const lines = Array.from({ length: Math.ceil(kinds.length / kindsInLine) }, (_, at) =>
    kinds.slice(at * kindsInLine, (at + 1) * kindsInLine).join(', '),
  )
  return [
    first,
    `  deliveries        ${to}`,
    ...lines.map((line, at) => `  ${(at === 0 ? 'faults' : '').padEnd(16)}  ${line}`),
  ]
}
const kindsInLine = 4

/** The members that a worker gets. An implementation cannot be sent to it. */
const refOf = ({ implementation: _, ...layer }: SelectedLayer) => layer

function linesOf({ found, levels }: Exploration, tookMs: number, sentinels: boolean): string[] {
  const { orders, runs, broke, known, beyondLatency, isCut, unknown } = found
  const levelLines = levels.map(({ faults, placements, placementsPlayed, orders }) => {
    const of = placementsPlayed < placements ? `${placementsPlayed} of ${placements}` : `${placements}`
    return faults === 0
      ? `  without faults    ${counted(orders, 'order')}`
      : `  ${counted(faults, 'fault').padEnd(16)}  ${counted(orders, 'order')}, ${of} places of faults`
  })
  const per = Math.round(runs / Math.max(0.001, tookMs / 1000))
  const lines = [
    ...levelLines,
    `  left out          ${known} that begin like an order that was played; ${runs - orders} runs had a known order`,
    `  not a choice      timers; ${sentinels ? 'work and messages of servers; ' : ''}${beyondLatency} pairs of steps that are over 27 ms apart`,
    `  took              ${elapsedText(tookMs)}, ${counted(runs, 'run')}, ${per} a second`,
  ]
  if (broke > 0) return [...lines, `violated: ${counted(broke, 'order')} broke; the smallest one:`]
  if (isCut) return [...lines, 'unknown: it ended before all orders were played; give a longer --time']
  if (unknown.size > 0) return [...lines, `unknown: the runs used ${[...unknown].slice(0, 3).join(', ')}`]
  return [...lines, 'holds: every order was played, and no invariant was violated']
}

function exitCodeOf({ found: { broke, isCut, unknown } }: Exploration): ExitCode {
  if (broke > 0) return exitCodes.violated
  return isCut || unknown.size > 0 ? exitCodes.unknown : exitCodes.ok
}

/** Prints the story of an order, and returns its token. */
async function show(
  { plan, choices }: BrokenOrder,
  layer: SelectedLayer,
  where: { readonly scenarioPath: string; readonly scenarioName: string },
  deps: CampaignDeps,
  output: Output,
): Promise<string | null> {
  const pair = await loadPair({ ...layer, ...where }, deps)
  const names = { implementation: layer.implementationName, scenario: where.scenarioName, sink: layer.sink }
  const address = { ...names, seed: exploredSeed, run: 0, plan, choiceSeed: exploredSeed, choices }
  const how = { command: '', madeFrom: null, pictured: false }
  const outcome = await replayRun(pair, address, null, how, deps)
  const token = encodeToken(outcome.recorded)
  printReplay(outcome, false, { origin: 'the smallest order that breaks it', next: '' }, output)
  if (token !== null) output.line(`replay: ${replayRecorded(token, names)}`)
  output.line(`next: ${launcher()} --impl ${layer.implementationName}`)
  return token
}

interface Conclusion {
  readonly bounds: Bounds
  readonly tookMs: number
  readonly token: string | null
  readonly exitCode: ExitCode
}

function documentOf({ found, levels }: Exploration, { bounds, tookMs, token, exitCode }: Conclusion) {
  const { orders, runs, broke, known, beyondLatency, isCut, unknown } = found
  const { deliveries, faults, kinds } = bounds
  return {
    ...{ schemaVersion: 1, exitCode, bounds: { deliveries, faults, kinds }, levels },
    ...{ orders, runs, broke, known, beyondLatency, complete: !isCut, unknown: [...unknown] },
    ...{ smallest: token, timings: { totalMs: Math.round(tookMs) } },
  }
}
