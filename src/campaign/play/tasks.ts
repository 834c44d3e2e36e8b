/** What an executor is asked to do, as plain data, so that it can cross threads and machines. */
import type { AcceptedRisk } from '../../contract/api/risk.ts'
import type { InvariantName } from '../../contract/api/verdict.ts'
import type { PathTally } from '../tally/tally.ts'
import { type PairRef, pairName, type ScenarioRef } from '../token/pair-ref.ts'
import type { RunAddress } from '../token/run-address.ts'

/** A pair, and what its runs depend on besides. */
export interface PairTask extends PairRef {
  /** The one invariant that is judged; without it, those of the scenario. */
  readonly only?: InvariantName
  /** Risks that the config accepts, beside those of the layer. */
  readonly accepts?: readonly AcceptedRisk[]
  readonly seed: number
  /** Kinds of faults that are taken out of every plan after it was drawn. */
  readonly without?: readonly string[]
  /** Loads the layer's modules again for every run: their state was seen to outlive a run. */
  readonly fresh: boolean
}

/** Runs `from` to `to`, the latter left out. */
export interface ChunkTask extends PairTask {
  readonly from: number
  readonly to: number
  /** Stops after the first run that violates. */
  readonly bail: boolean
  /**
   * Stops after the first run that violates in this way: an invariant and a kind, or how they
   * begin.
   */
  readonly until?: string
}

/** A search for a smaller run that violates in the same way. */
export interface ShrinkTask extends PairTask, SearchLimits {
  readonly run: number
  /** What the hot run gave. */
  readonly digest: string
  readonly invariant: InvariantName
  readonly kind: string
  /** The smaller run must be decided by the same step: another one shows another bug. */
  readonly decidedBy: string | null
  /** Where a run breaks so about several keys, the violation along this path is meant. */
  readonly path: readonly string[]
}

/**
 * What a search is for. A later mode tells all that an earlier one does, except for the faults that
 * the cause needs: each of those costs a run, and a canary's result shows no cause.
 *
 * - `look`: the cause of the run as it was drawn, with no search for another one. It spends
 *   `budget` on that run, and on leaving out its faults in turn; those that it does not come to
 *   count as needed.
 * - `canary`: the smallest run, with its token.
 * - `story`: with the line of the layer that sent each command.
 * - `finding`: with a picture and the nearest run that holds. That one is looked for with a quarter
 *   of `budget`, which comes on top of it.
 */
export type SearchMode = 'look' | 'canary' | 'story' | 'finding'

export interface SearchLimits {
  readonly mode: SearchMode
  /**
   * How many events the search may play (`RunResult.eventCount`); 0 keeps the run as it was drawn.
   */
  readonly budget: number
  /** Plays no other run than that one: the layer did not end a turn in some. */
  readonly alone?: true
  /**
   * Scenarios that may tell the violation instead, the cheapest first; only those that cost less
   * than its own.
   */
  readonly cheaper: readonly ScenarioRef[]
}

export function addressOf(task: PairTask, run: number): RunAddress {
  return { ...pairName(task), seed: task.seed, run }
}

/**
 * What of a choice says which runs are played, and nothing else of it: tasks are compared as text.
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

/** `run`: one that violated along the path; the first one unless another is given. */
export function shrinkTask(
  task: PairTask,
  { invariant, kind, decidedBy, path, first }: Pick<PathTally, 'invariant' | 'kind' | 'decidedBy' | 'path' | 'first'>,
  { mode, budget, cheaper = [] }: Omit<SearchLimits, 'cheaper'> & Partial<SearchLimits>,
  run: Pick<PathTally['first'], 'run' | 'digest'> = first,
): ShrinkTask {
  const { digest } = run
  return { ...task, run: run.run, digest, invariant, kind, decidedBy, path, mode, budget, cheaper }
}
