/**
 * Plays layers on Redis deployments with losses: finds the cells in which each layer holds, and the
 * violations in the other cells.
 */
import type { ExitCode } from '../../contract/api/exit-codes.ts'
import { severity } from '../../contract/api/severity.ts'
import type { Shape } from '../../contract/api/store.ts'
import type { ConfigurationSearchCell, ConfigurationSearchLayer } from '../../contract/results/configuration-search.ts'
import type { PairResult } from '../../contract/results/results.ts'
import { cellName } from '../made/cell-scenario.ts'
import type { Configuration } from '../made/configuration.ts'
import type { Loss } from '../made/loss.ts'
import type { CampaignContext, CampaignRequest, PairChoice, PairPlan } from '../play/campaign-request.ts'
import { failureOf } from '../play/harness-failure.ts'
import { exitCodeOf, mayBreak } from '../results/exit-code.ts'
import type { LayerRef, PairRef } from '../token/pair-ref.ts'
import { runControl } from './control.ts'
import { ownResult } from './own-result.ts'
import { playPairs } from './play-pairs.ts'
import { ProgressReporter } from './progress-reporter.ts'

/** A layer that the user selected. */
export interface ConfigurationSearchSubject extends LayerRef {
  /** The id that the layer declares. */
  readonly id: string
  readonly expect: 'holds' | 'broken'
  readonly waitsForReplicas: boolean
  readonly shapes: readonly Shape[]
  /** The number of runs of each cell. */
  readonly runs: number
}

export interface ConfigurationSearchRequest extends Pick<CampaignRequest, 'seed' | 'explain' | 'reports'> {
  readonly subjects: readonly ConfigurationSearchSubject[]
  /** The rows of the table, in order; `losses` are its columns. */
  readonly configurations: readonly Configuration[]
  readonly losses: readonly Loss[]
  readonly control: PairChoice
}

export interface ConfigurationSearchOutcome {
  readonly interrupted: boolean
  readonly exitCode: ExitCode
  readonly layers: readonly ConfigurationSearchLayer[]
  readonly control: PairResult | null
  /** Why the harness cannot be trusted, in one sentence; null if it can be trusted. */
  readonly harnessFailure: string | null
}

/**
 * Plays all cells of all layers in one queue, then calls `layerDone` with each layer, in the order
 * of `subjects`.
 * @throws LoadError if a layer cannot be used at all
 */
export async function runConfigurationSearch(
  request: ConfigurationSearchRequest,
  context: CampaignContext,
  layerDone: (layer: ConfigurationSearchLayer) => void,
): Promise<ConfigurationSearchOutcome> {
  const plans = request.subjects.flatMap((subject) => plansOf(subject, request))
  const reported = new Map<PairPlan, Promise<PairResult>>()
  const reporter = new ProgressReporter(plans, context)
  await playPairs(plans, { seed: request.seed, bail: false }, context, {
    played: (pair) => reporter.played(pair),
    done: (pair) => {
      const result = ownResult(pair, request, context, pair.plan.until ?? '')
      // Avoids an unhandled rejection: the await below throws the error.
      result.catch(() => {})
      reported.set(pair.plan, result)
    },
  })
  const found = new Map<string, PairResult>()
  for (const [{ choice }, result] of reported) found.set(cellKey(choice), await result)
  const layers = request.subjects.map((subject) => layerOf(subject, found, request))
  layers.forEach(layerDone)
  const control = await runControl(request, context)
  const interrupted = context.deps.stopped()
  const pairs = layers.flatMap(({ cells }) => cells.flatMap(({ pair }) => pair ?? []))
  const harnessFailure = failureOf(pairs, control)
  const exitCode = exitCodeOf(pairs, mayBreak, { interrupted, harnessFailed: harnessFailure !== null })
  return { interrupted, exitCode, layers, control, harnessFailure }
}

/**
 * The cost of a run. It is the same for all cells, so that cells are played in the order of the
 * table.
 */
const runMs = 20

interface ConfigurationSearchPlace {
  readonly configuration: Configuration
  readonly loss: Loss
}

function plansOf(subject: ConfigurationSearchSubject, request: ConfigurationSearchRequest): PairPlan[] {
  return placesFor(subject, request)
    .filter(({ configuration, loss }) => loss.notOn(configuration) === null)
    .map(({ configuration, loss }) => {
      const name = cellName(configuration, loss)
      const { implementationPath, implementationName, sink, runs } = subject
      const pair = { implementationPath, implementationName, sink, scenarioPath: name, scenarioName: name }
      return { choice: { ...pair, corpus: [], runMs }, bound: { runs }, until: loss.shows }
    })
}

function cellKey({ implementationPath, scenarioName }: Pick<PairRef, 'implementationPath' | 'scenarioName'>): string {
  return `${implementationPath} ${scenarioName}`
}

function layerOf(
  subject: ConfigurationSearchSubject,
  found: ReadonlyMap<string, PairResult>,
  request: ConfigurationSearchRequest,
): ConfigurationSearchLayer {
  const cells = placesFor(subject, request).map((place) => {
    const scenarioName = cellName(place.configuration, place.loss)
    return cellOf(place, found.get(cellKey({ ...subject, scenarioName })) ?? null)
  })
  return { implementation: subject.id, expect: subject.expect, cells, ...weakestOf(cells, request) }
}

/**
 * The cells of a layer, in the rows that the layer can use. Rows that differ only in the number of
 * awaited replicas matter only to layers that call WAIT.
 */
function placesFor(
  subject: ConfigurationSearchSubject,
  { configurations, losses }: ConfigurationSearchRequest,
): ConfigurationSearchPlace[] {
  const { waitsForReplicas, shapes } = subject
  const rows = configurations.filter(
    ({ waitFor, shape }) => shapes.includes(shape) && (waitsForReplicas || waitFor === undefined),
  )
  return rows.flatMap((configuration) => losses.map((loss) => ({ configuration, loss })))
}

const verdicts = { pass: 'holds', violated: 'breaks', unknown: 'unknown', error: 'error' } as const

function cellOf({ configuration, loss }: ConfigurationSearchPlace, pair: PairResult | null): ConfigurationSearchCell {
  const where = { configuration: configuration.id, loss: loss.id }
  if (pair === null) {
    const reason = loss.notOn(configuration)
    return reason === null
      ? { ...where, verdict: 'unknown', reason: 'interrupted before judging it', violation: null, pair }
      : { ...where, verdict: 'n/a', reason, violation: null, pair }
  }
  const worst = [...pair.violations].sort((a, b) => severity(a.invariant) - severity(b.invariant))
  const shown = worst.find(({ invariant, kind }) => `${invariant} ${kind}`.startsWith(loss.shows)) ?? worst[0]
  return {
    ...where,
    verdict: verdicts[pair.verdict],
    reason: shown?.sentence ?? pair.reason,
    violation: shown ?? null,
    pair,
  }
}

/**
 * The rows on which a layer is safe, and the weakest of these rows; for each loss, the weakest row
 * that holds. A row with a cell that has no verdict is not safe.
 */
function weakestOf(
  cells: readonly ConfigurationSearchCell[],
  { losses }: ConfigurationSearchRequest,
): Pick<ConfigurationSearchLayer, 'safeOn' | 'weakest' | 'weakestFor'> {
  const rows = [...new Set(cells.map(({ configuration }) => configuration))]
  const safeOn = rows.filter((row) =>
    cells.every(({ configuration, verdict }) => configuration !== row || verdict === 'holds' || verdict === 'n/a'),
  )
  const survivor = ({ id }: Loss) => cells.find(({ loss, verdict }) => loss === id && verdict === 'holds')
  const weakestFor = Object.fromEntries(losses.map((loss) => [loss.id, survivor(loss)?.configuration ?? null]))
  return { safeOn, weakest: safeOn[0] ?? null, weakestFor }
}
