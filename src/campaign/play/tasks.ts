/** Tasks of an executor, as plain data, so that they can cross threads and machines. */
import type { AcceptedRisk } from '../../contract/api/risk.ts'
import type { InvariantName } from '../../contract/api/verdict.ts'
import type { PathTally } from '../tally/tally.ts'
import { type PairRef, pairName, type ScenarioRef } from '../token/pair-ref.ts'
import type { RunAddress } from '../token/run-address.ts'

/** A pair with everything that its runs depend on. */
export interface PairTask extends PairRef {
  /** Judge this invariant only. Absent: the invariants of the scenario. */
  readonly only?: InvariantName
  /** Risks that the config accepts, in addition to those of the layer. */
  readonly accepts?: readonly AcceptedRisk[]
  readonly seed: number
  /** Kinds of faults that are removed from every plan after it was drawn. */
  readonly without?: readonly string[]
  /**
   * Loads the layer's modules again for every run, because their state was seen to outlive a run.
   */
  readonly fresh: boolean
}

/** The runs from `from` up to, but not including, `to`. */
export interface ChunkTask extends PairTask {
  readonly from: number
  readonly to: number
  /** Stop after the first run that violates. */
  readonly bail: boolean
  /** Stop after the first run with this violation: a prefix of its invariant and kind. */
  readonly until?: string
}

/** A search for a smaller run that violates in the same way. */
export interface ShrinkTask extends PairTask, SearchLimits {
  readonly run: number
  /** The digest of the hot run. */
  readonly digest: string
  readonly invariant: InvariantName
  readonly kind: string
  /** The smaller run must have the same deciding step; another step would show another bug. */
  readonly decidedBy: string | null
  /** If a run violates in this way for several keys, selects the violation along this path. */
  readonly path: readonly string[]
}

/**
 * The purpose of a search. Each mode adds to the one before, with one exception: `canary` does not
 * determine the faults that the cause needs, because each of them costs a run.
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
   * How many events the search may play (`RunResult.eventCount`); 0 keeps the run as it was drawn.
   */
  readonly budget: number
  /** Play only this run, because the layer did not end a turn in some other run. */
  readonly alone?: true
  /**
   * Scenarios that may show the violation instead, the cheapest first. All cost less than its own.
   */
  readonly cheaper: readonly ScenarioRef[]
}

export function addressOf(task: PairTask, run: number): RunAddress {
  return { ...pairName(task), seed: task.seed, run }
}

/** Reduces a choice to the fields that decide which runs are played: tasks are compared as text. */
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
