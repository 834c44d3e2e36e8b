/**
 * Dependencies of a campaign, passed in: the simulator, the judge, the goals, the storyteller and two loaders. Tests
 * pass small fakes. The command line passes the real ones; every worker creates its own.
 */

import type { ScriptLines } from 'redis-sim'
import type { Judgement } from '../../check/index.ts'
import type { History } from '../../contract/api/history.ts'
import type { Implementation } from '../../contract/api/implementation.ts'
import type { Scenario } from '../../contract/api/scenario.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { InvariantName, OwnInvariant, Violation } from '../../contract/api/verdict.ts'
import type { FilmedRun } from '../../contract/results/film.ts'
import type { Timeline } from '../../contract/results/timeline.ts'
import type { LoadedImplementation } from '../../sim/adapters/load-implementation.ts'
import type { RunResult, WorldRequest } from '../../sim/world.ts'
import type { RunAddress } from '../replay/run-address.ts'

export type { RunResult, WorldRequest }

export interface CampaignDeps {
  readonly runWorld: (request: WorldRequest) => Promise<RunResult>
  /** Called before a run is played, for whatever has to name it where it never ends. */
  readonly playing: (address: RunAddress) => void
  /** The verdicts of those invariants, in their order; `own` are the scenario's own. */
  readonly judge: (
    history: History,
    names: readonly InvariantName[],
    own: readonly OwnInvariant[] | undefined,
  ) => readonly Judgement[]
  readonly reached: (goal: string, history: History) => boolean
  /** Why no run of that layer on that sink can be expected to reach a goal. Null when it can. */
  readonly notApplicable: (goal: string, implementation: Implementation, sink: SinkKind) => string | null
  /** The lines of scripts that simulated servers executed in this thread since the last call. */
  readonly takeScriptLines: () => readonly ScriptLines[]
  /** Scripts that layers have got to know in this thread since the last call, sent or not. */
  readonly takeKnownScripts: () => readonly string[]
  /** Tells what happened, in sentences for a person; by which step it was decided, where that is known (`deciding-step.ts`). */
  readonly tell: (history: History, violation: Violation, decidedBy: string | null, why?: string) => readonly string[]
  /** The picture of a filmed run that breaks; `story` is what `tell` said of it. */
  readonly draw: (run: FilmedRun, violation: Violation, story: readonly string[]) => Timeline
  /** The picture of a filmed run that holds, with the same key in view. */
  readonly drawNeighbour: (run: FilmedRun, key: string | null) => Timeline
  /** Rejects with a LoadError. */
  readonly loadScenario: (path: string) => Promise<Scenario>
  /** Rejects with a LoadError. */
  readonly loadImplementation: (path: string) => Promise<LoadedImplementation>
  /** Whether the user asked to stop: after the current run. */
  readonly stopped: () => boolean
}
