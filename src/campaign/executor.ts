/** Who plays runs: this thread, or worker threads. Tasks and answers are plain data, so that they can cross threads. */
import type { SinkKind } from '../contract/sink.ts'
import type { InvariantName } from '../contract/verdict.ts'
import type { Counterexample } from './counterexample.ts'
import type { Tally } from './tally.ts'

/** A scenario as a worker finds it, and as people and tokens know it. */
export interface ScenarioName {
  readonly scenarioPath: string
  readonly scenarioName: string
}

/** A pair as a worker finds it: paths to load by, and the names that people and tokens know them by. */
export interface PairTask extends ScenarioName {
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
  /** How many events the search for a smaller one may play (`RunResult.eventCount`); 0 keeps the run as it was drawn. */
  readonly budget: number
  /** Scenarios that it may be looked for in, the cheapest first; only those that cost less than its own. */
  readonly cheaper: readonly ScenarioName[]
  /** Leaves out faults, and changes nothing else: enough to tell its cause. */
  readonly faultsOnly: boolean
}

export interface Executor {
  /** How many tasks are worth having under way at once. */
  readonly size: number
  runChunk(task: ChunkTask): Promise<Tally>
  shrink(task: ShrinkTask): Promise<Counterexample>
  close(): Promise<void>
}
