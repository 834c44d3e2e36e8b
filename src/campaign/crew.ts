/**
 * Who does a campaign's work: this thread, or several workers. Tasks and answers are plain data, and an answer
 * depends on its task alone, so that results are equal for any number of hands.
 */
import type { SinkKind } from '../contract/sink.ts'
import type { InvariantName } from '../contract/verdict.ts'
import type { Counterexample } from './counterexample.ts'
import type { Tally } from './tally.ts'

/** A pair as a worker finds it: paths to load by, and the names that people and tokens know them by. */
export interface PairTask {
  readonly scenarioPath: string
  readonly scenarioName: string
  readonly implementationPath: string
  readonly implementationName: string
  readonly sink: SinkKind
  /** The one invariant that is judged; without it, those of the scenario. */
  readonly only?: InvariantName
  readonly seed: number
  /** Kinds of faults that are taken out of every plan after it was drawn. */
  readonly without?: readonly string[]
  /** Module graphs made anew for every run: the layer's module-level state was seen to outlive a run. */
  readonly fresh: boolean
}

/** Runs `from` to `to`, the latter left out. */
export interface ChunkTask extends PairTask {
  readonly from: number
  readonly to: number
  /** Stops after the first run that violates. */
  readonly bail: boolean
  /** Stops after the first run that violates in this way: an invariant and a kind, or how they begin. */
  readonly until?: string
}

export interface ShrinkTask extends PairTask {
  readonly run: number
  /** What the hot run gave. */
  readonly digest: string
  readonly invariant: InvariantName
  readonly kind: string
  /** How many runs the search for a smaller one may cost; 0 keeps the plan as it was drawn. */
  readonly budget: number
}

export interface Crew {
  /** How many tasks are worth having under way at once. */
  readonly size: number
  runChunk(task: ChunkTask): Promise<Tally>
  shrink(task: ShrinkTask): Promise<Counterexample>
  close(): Promise<void>
}
