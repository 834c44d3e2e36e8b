/**
 * What a campaign works with, passed in: the simulator, the judge, the goals, the teller of stories and the two
 * loaders. Tests hand in small fakes; the command line hands in the real ones, in every worker anew.
 */
import type { History } from '../contract/history.ts'
import type { Scenario } from '../contract/scenario.ts'
import type { InvariantName, Verdict, Violation } from '../contract/verdict.ts'
import type { LoadedImplementation } from '../sim/runtime/load-implementation.ts'
import type { RunResult, WorldRequest } from '../sim/world.ts'

export type { RunResult, WorldRequest }

/** Whether a run reached a goal; `n/a` when the layer lacks the mechanism that the goal is about. */
export type Reached = boolean | 'n/a'

export interface Workbench {
  readonly runWorld: (request: WorldRequest) => Promise<RunResult>
  /** Verdicts by invariant, of those that were asked for. */
  readonly judge: (history: History, names: readonly InvariantName[]) => ReadonlyMap<InvariantName, Verdict>
  readonly reached: (goal: string, history: History) => Reached
  /** What happened, in sentences for a person. */
  readonly tell: (history: History, violation: Violation) => readonly string[]
  /** Rejects with a LoadError. */
  readonly loadScenario: (path: string) => Promise<Scenario>
  /** Rejects with a LoadError. */
  readonly loadImplementation: (path: string) => Promise<LoadedImplementation>
  /** Lets go for a moment, so that signals and timers of the surroundings get their turn. */
  readonly breathe: () => Promise<void>
  /** Whether the user asked to stop: after the current run. */
  readonly stopped: () => boolean
}
