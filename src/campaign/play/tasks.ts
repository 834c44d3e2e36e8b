/** Tasks of an executor, as plain data, so that they can cross threads and machines. */
import type { AcceptedRisk } from '../../contract/api/risk.ts'
import type { InvariantName } from '../../contract/api/verdict.ts'
import type { PathTally } from '../tally/tally.ts'
import { type PairRef, pairName, type ScenarioRef } from '../token/pair-ref.ts'
import type { RunAddress } from '../token/run-address.ts'

/** A pair with everything that its runs depend on. */
export interface PairTask extends PairRef {
  /** The only invariant to judge. Absent: the invariants of the scenario. */
  readonly only?: InvariantName
  /** Risks that the config accepts, in addition to those of the layer. */
  readonly accepts?: readonly AcceptedRisk[]
  readonly seed: number
  /** Kinds of faults that are removed from every plan after it was drawn. */
  readonly without?: readonly string[]
  /**
   * True if the layer's modules are loaded again for every run, because their state outlived a run.
   */
  readonly fresh: boolean
}

/** The runs from `from` up to, but not including, `to`. */
export interface ChunkTask extends PairTask {
  readonly from: number
  readonly to: number
  /** True to stop after the first run that violates an invariant. */
  readonly bail: boolean
  /**
   * Stops after the first run with this violation, which is given as a prefix of its invariant and
   * kind.
   */
  readonly until?: string
  /**
   * True if the caller plays a run that violates an invariant again and compares it. The chunk then
   * plays no run twice, unless all runs hold.
   */
  readonly comparesBreak?: true
  /** Stops once an invariant is violated and this many events were played. */
  readonly violatedEvents?: number
}

/** A search for a smaller run that breaks in the same way. */
export interface ShrinkTask extends PairTask, SearchLimits {
  readonly run: number
  /** The digest of the hot run. */
  readonly digest: string
  readonly invariant: InvariantName
  readonly kind: string
  /**
   * The deciding step that the smaller run must have, because another step would show another bug.
   */
  readonly decidedBy: string | null
  /** The path of the violation to select if a run breaks in this way for several keys. */
  readonly path: readonly string[]
}

/**
 * The purpose of a search. Each mode adds to the mode before it. As an exception, `canary` does not
 * determine the faults that the cause needs, because each fault costs a run.
 *
 * - `look`: the cause of the run as it was drawn. Spends `budget` on that run and on leaving out
 *   its faults in turn; faults beyond the budget count as needed.
 * - `canary`: the smallest run, with its token.
 * - `story`: with the layer's source line of each command.
 * - `finding`: with a picture and the nearest passing run, whose search adds a quarter of `budget`.
 */
export type SearchMode = 'look' | 'canary' | 'story' | 'finding'

export interface SearchLimits {
  readonly mode: SearchMode
  /**
   * The number of events that the search may play (`RunResult.eventCount`); 0 keeps the run as it
   * was drawn.
   */
  readonly budget: number
  /** True to play only this run, because the layer did not end a turn in some other run. */
  readonly alone?: true
  /**
   * Scenarios that may show the violation instead, the cheapest first. Each costs less than the
   * task's scenario.
   */
  readonly cheaper: readonly ScenarioRef[]
}

export function addressOf(task: PairTask, run: number): RunAddress {
  return { ...pairName(task), seed: task.seed, run }
}

/**
 * The task of a choice. Only the fields that decide which runs are played are copied, because tasks
 * are compared as text.
 */
export function pairTask(
  {
    scenarioPath,
    scenarioName,
    implementationPath,
    implementationName,
    sink,
    only,
    accepts,
  }: PairRef & Pick<PairTask, 'only' | 'accepts'>,
  { seed, fresh }: Pick<PairTask, 'seed' | 'fresh'>,
): PairTask {
  const pair = { scenarioPath, scenarioName, implementationPath, implementationName, sink, seed, fresh }
  return { ...pair, ...(only === undefined ? {} : { only }), ...(accepts === undefined ? {} : { accepts }) }
}

/** `run`: a run that violated along the path; defaults to the first one. */
export function shrinkTask(
  task: PairTask,
  { invariant, kind, decidedBy, path, first }: Pick<PathTally, 'invariant' | 'kind' | 'decidedBy' | 'path' | 'first'>,
  { mode, budget, cheaper = [] }: Omit<SearchLimits, 'cheaper'> & Partial<SearchLimits>,
  run: Pick<PathTally['first'], 'run' | 'digest'> = first,
): ShrinkTask {
  const { digest } = run
  return { ...task, run: run.run, digest, invariant, kind, decidedBy, path, mode, budget, cheaper }
}
