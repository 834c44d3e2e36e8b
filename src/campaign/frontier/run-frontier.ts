/** Redis deployments × what they suffer, for some layers: where each holds, and what breaks it where it does not. */
import type { FrontierCell, FrontierLayer } from '../../contract/frontier.ts'
import { gravity } from '../../contract/gravity.ts'
import { type ExitCode, exitCodes, type PairResult } from '../../contract/results.ts'
import type { Shape } from '../../contract/scenario.ts'
import { failureOf, runControl } from '../campaign.ts'
import type { PairChoice, Surroundings } from '../campaign-request.ts'
import { runCells } from '../run-cells.ts'
import type { PairContext } from '../run-pair.ts'
import { cellName } from './cell-scenario.ts'
import type { Configuration } from './configuration.ts'
import type { Loss } from './loss.ts'

/** A layer as found by name. */
export interface FrontierSubject {
  readonly choice: Omit<PairChoice, 'scenarioPath' | 'scenarioName' | 'corpus'>
  /** What it calls itself. */
  readonly id: string
  readonly expect: 'holds' | 'broken'
  readonly waitsForReplicas: boolean
  readonly shapes: readonly Shape[]
  /** For each cell. */
  readonly runs: number
}

export interface FrontierRequest extends PairContext {
  readonly subjects: readonly FrontierSubject[]
  /** Rows and columns, in their order. */
  readonly configurations: readonly Configuration[]
  readonly losses: readonly Loss[]
  readonly control: PairChoice
}

export interface FrontierOutcome {
  readonly interrupted: boolean
  readonly exitCode: ExitCode
  readonly layers: readonly FrontierLayer[]
  readonly control: PairResult | null
  /** Why the harness cannot be trusted, in one sentence; null where it can. */
  readonly harnessFailure: string | null
}

/**
 * One layer after the other; `layerDone` is told of each.
 * @throws LoadError when a layer cannot be used at all
 */
export async function runFrontier(
  request: FrontierRequest,
  around: Surroundings,
  layerDone: (layer: FrontierLayer) => void,
): Promise<FrontierOutcome> {
  const layers: FrontierLayer[] = []
  for (const subject of request.subjects) {
    const layer = await runLayer(subject, request, around)
    layers.push(layer)
    layerDone(layer)
  }
  const control = await runControl(request, around)
  const interrupted = around.bench.stopped()
  const pairs = layers.flatMap(({ cells }) => cells.flatMap(({ pair }) => pair ?? []))
  const harnessFailure = failureOf(pairs, control)
  const exitCode = interrupted ? exitCodes.interrupted : exitCodeOf(pairs, harnessFailure)
  return { interrupted, exitCode, layers, control, harnessFailure }
}

interface Place {
  readonly configuration: Configuration
  readonly loss: Loss
}

async function runLayer(
  subject: FrontierSubject,
  request: FrontierRequest,
  around: Surroundings,
): Promise<FrontierLayer> {
  const places = placesFor(subject, request)
  const found = new Map<string, PairResult>()
  const cells = places
    .filter(({ configuration, loss }) => loss.notOn(configuration) === null)
    .map(({ configuration, loss }) => {
      const name = cellName(configuration, loss)
      const choice = { ...subject.choice, scenarioPath: name, scenarioName: name, corpus: [] }
      return { choice, runs: subject.runs, until: loss.shows }
    })
  await runCells(cells, request, around, ({ choice }, { pair }) => found.set(choice.scenarioName, pair))
  const judged = places.map((place) => cellOf(place, found.get(cellName(place.configuration, place.loss)) ?? null))
  return { implementation: subject.id, expect: subject.expect, cells: judged, ...frontierOf(judged, request) }
}

/** Rows that a layer can use; one that waits for nobody has no need of those that differ in how many are waited for. */
function placesFor(subject: FrontierSubject, { configurations, losses }: FrontierRequest): Place[] {
  const { waitsForReplicas, shapes } = subject
  const rows = configurations.filter(
    ({ waitFor, shape }) => shapes.includes(shape) && (waitsForReplicas || waitFor === undefined),
  )
  return rows.flatMap((configuration) => losses.map((loss) => ({ configuration, loss })))
}

const verdicts = { pass: 'holds', violated: 'breaks', unknown: 'unknown', error: 'error' } as const

function cellOf({ configuration, loss }: Place, pair: PairResult | null): FrontierCell {
  const where = { configuration: configuration.id, loss: loss.id }
  if (pair === null) return { ...where, verdict: 'n/a', reason: loss.notOn(configuration), violation: null, pair }
  const gravest = [...pair.violations].sort((a, b) => gravity(a.invariant) - gravity(b.invariant))
  const shown = gravest.find(({ invariant, kind }) => `${invariant} ${kind}`.startsWith(loss.shows)) ?? gravest[0]
  return {
    ...where,
    verdict: verdicts[pair.verdict],
    reason: shown?.sentence ?? pair.reason,
    violation: shown ?? null,
    pair,
  }
}

/** Where it is safe. A row with a cell that has no verdict is none of those. */
function frontierOf(
  cells: readonly FrontierCell[],
  { losses }: FrontierRequest,
): Pick<FrontierLayer, 'safeOn' | 'weakest' | 'weakestFor'> {
  const rows = [...new Set(cells.map(({ configuration }) => configuration))]
  const safeOn = rows.filter((row) =>
    cells.every(({ configuration, verdict }) => configuration !== row || verdict === 'holds' || verdict === 'n/a'),
  )
  const survivor = ({ id }: Loss) => cells.find(({ loss, verdict }) => loss === id && verdict === 'holds')
  const weakestFor = Object.fromEntries(losses.map((loss) => [loss.id, survivor(loss)?.configuration ?? null]))
  return { safeOn, weakest: safeOn[0] ?? null, weakestFor }
}

/** A layer that breaks somewhere is what a frontier is for. Where several apply: 3, then 4, then 0. */
function exitCodeOf(pairs: readonly PairResult[], harnessFailure: string | null): ExitCode {
  if (harnessFailure !== null) return exitCodes.harness
  return pairs.some(({ verdict }) => verdict === 'unknown') ? exitCodes.unknown : exitCodes.ok
}
