/** What is asked of a simulated run, and what it gave. */

import type { Reply } from 'redis-sim/resp'
import type { ChoiceSource, ChoiceTrail, MadeChoice } from 'virtual-node/kernel'
import type { History } from '../../contract/api/history.ts'
import type { Plan } from '../../contract/api/plan.ts'
import type { Scenario } from '../../contract/api/scenario.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { RunTrace } from '../../contract/results/run-trace.ts'
import type { Schedule } from '../../contract/results/schedule.ts'
import type { StruckFault, UnstruckFault } from '../../run/fault-injection.ts'
import type { LoadedImplementation } from '../adapters/load-implementation.ts'
import type { SessionEvent } from './postgres/session-traffic.ts'
import type { TrafficEvent } from './traffic.ts'

export interface WorldRequest {
  readonly scenario: Scenario
  readonly implementation: LoadedImplementation
  readonly sink: SinkKind
  readonly plan: Plan
  /** Choice streams are derived from the seed by name, unless it says otherwise. */
  readonly choices: ChoiceSource
  /** False: a hot run, with facts only. True: traces too. */
  readonly record: boolean
  /**
   * Looks closer, at a price: module graphs made for this run alone, and work followed through
   * promises from process to process. A run that differs from an ordinary one has state that leaks.
   */
  readonly scrutinise?: boolean
  /**
   * Notes from which lines of the layer's sources commands and effects were sent, at a price. Goes
   * with `record`.
   */
  readonly positions?: boolean
  /**
   * The moment of the plan after which no reader asks for lines, in virtual microseconds. Default:
   * the end.
   */
  readonly positionsUntilUs?: number
  /** Writes down the choices, with what they were about. */
  readonly listChoices?: boolean
  /** Keeps what was chosen, by stream: for a fraction of the price. */
  readonly keepChoices?: boolean
  /** Writes down what Redis executed, and what sessions of PostgreSQL were asked and said. */
  readonly traffic?: boolean
  /** Writes a run trace, for a picture. Only a recorded run can have one. */
  readonly runTrace?: boolean
  /**
   * Is played until this moment of the plan, in virtual microseconds, and is incomplete if it was
   * to go on.
   */
  readonly untilUs?: number
  /** The run ends after that number of events, and is incomplete if it was to go on. */
  readonly events?: number
  /**
   * By how many milliseconds the clocks of its servers are ahead when one of them executes a
   * command or statement for a consumer, one after the other; from the last one on they stay so.
   */
  readonly serversAheadMs?: readonly number[]
  /** Refuses a layer that fails in every delivery: nothing goes wrong around it in this run. */
  readonly mustWork?: boolean
  /** Writes down its steps, for a host that is to make the run once more. */
  readonly schedule?: boolean
}

export interface TimedChoice extends MadeChoice {
  readonly atUs: number
}

/** A command that Redis executed for a consumer. */
export interface ExecutedCommand {
  readonly process: string
  readonly label: string
  /** How many events the history had by then. */
  readonly seq: number
  /** The whole command, its name first. */
  readonly args: readonly string[]
  readonly reply: Reply
  /** The session of a PostgreSQL server that executed it. */
  readonly session?: StoreSession
  /** A read of DynamoDB that missed a write: what a consistent one would have been answered. */
  readonly missed?: string
  /** The delivery that is known to have sent it: it does not depend on what the command names. */
  readonly sentFor?: number
}

/** The same object for all statements of one session. */
export interface StoreSession {
  /** How many events the history had when it ended. Null: it did not, or held nothing any more. */
  endedSeq: number | null
  endedUs?: number
}

/** The delivery in whose handling something was made, as far as calls tell. */
export interface SentFor {
  /** Of `executed`, in its order. */
  readonly commands: readonly (number | null)[]
  /** By the id of a request to the sink. */
  readonly requests: ReadonlyMap<number, number>
  /** By the same: what its delivery had asked last, if it had no reply when it called the sink. */
  readonly unanswered: ReadonlyMap<number, Unanswered>
}

/** A command without a reply, for so long. */
export interface Unanswered {
  readonly args: readonly string[]
  readonly forUs: number
}

export interface RunResult {
  readonly history: History
  /** Over plan, choices, outcomes and effects: equal for hot and recorded runs of one request. */
  readonly digest: string
  /** Over the whole recorded history; null in hot runs. */
  readonly historyDigest: string | null
  readonly trail: ChoiceTrail
  /** A digest of the layer's own files: 8 hex digits. */
  readonly layerDigest: string
  /** What was chosen, in order; null where it was not asked for. */
  readonly choices: readonly TimedChoice[] | null
  /** By the name of a stream, what it chose, in order; null where it was not asked for. */
  readonly chosen: Readonly<Record<string, readonly number[]>> | null
  /** The order of process, command and outcome; times left out. */
  readonly scheduleHash: string
  /** Names of crash points: those at which a crash struck, and all that were passed. */
  readonly cells: readonly string[]
  readonly cellsSeen: readonly string[]
  /** Pairs of neighboring commands, and what struck between the two (`src/run/neighbours.ts`). */
  readonly pairs: readonly string[]
  readonly separated: readonly string[]
  readonly unsupported: readonly string[]
  readonly unstruck: readonly UnstruckFault[]
  readonly strikes: readonly StruckFault[]
  readonly executed: readonly ExecutedCommand[]
  /** Absent in hot runs. */
  readonly sentFor?: SentFor
  /** What happened in the world, and what a run of real processes cost; alike on every machine. */
  readonly eventCount: number
  /** What Redis executed, in order; null where it was not asked for. */
  readonly traffic: readonly TrafficEvent[] | null
  /** What sessions of PostgreSQL were asked and said, in order; null where it was not asked for. */
  readonly sessions: readonly SessionEvent[] | null
  /** Null where it was not asked for. */
  readonly runTrace: RunTrace | null
  readonly schedule: Schedule | null
}
