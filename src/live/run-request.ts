import type { History } from '../contract/history.ts'
import type { Plan } from '../contract/plan.ts'
import type { NotMadeLive } from '../contract/results.ts'
import type { SinkKind } from '../contract/sink.ts'
import type { Program } from './consumer-process.ts'
import type { LiveEnvironment, LiveShape } from './environment.ts'
import type { RunDirectory } from './run-directory.ts'

export interface LiveRunRequest {
  readonly scenario: string
  readonly shape: LiveShape
  readonly implementation: string
  readonly sink: SinkKind
  /** In real milliseconds. */
  readonly plan: Plan
  /** An integer from 0 to n - 1, from the simulator's streams of those names: the broker deals as it does there. */
  readonly chance: (stream: string, what: string, n: number) => number
  readonly recoveryBoundMs: number
  readonly program: Program
  /** The adapter has a `deploy`. */
  readonly deploys: boolean
  /** How late a timer of the harness may be before the run is not judged. */
  readonly marginMs: number
  /** What a run may last at most. */
  readonly longestMs: number
  readonly environment: LiveEnvironment
  readonly directory: RunDirectory
  readonly stopped: () => boolean
}

export interface LiveRunResult {
  readonly history: History
  readonly notMade: readonly NotMadeLive[]
  readonly worstLateMs: number
  /** Why the run is not to be judged: the machine did not keep up. Null where it did. */
  readonly tooLate: string | null
  /** From the first process that was started until every consumer could be handed a message. */
  readonly readyMs: number
  readonly tookMs: number
  /** Names of crash points: those at which a crash struck, and all that were passed. */
  readonly cells: readonly string[]
  readonly cellsSeen: readonly string[]
  /** The longest stretch in which no primary took a write; where there were Sentinels. */
  readonly withoutPrimaryMs?: number
  /** How clocks were shifted; null where no clock was. */
  readonly clocks: string | null
}
