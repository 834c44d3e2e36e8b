/** The request for a simulated run, and its result. */

import type { Reply } from 'redis-sim/resp'
import type { ChoiceSource, ChoiceTrail, Journey, MadeChoice } from 'virtual-node/kernel'
import type { History } from '../../contract/api/history.ts'
import type { Boundary, Plan } from '../../contract/api/plan.ts'
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
  /** Choice streams are derived from the seed by name, unless the source overrides them. */
  readonly choices: ChoiceSource
  /** False: a hot run, which records facts only. True: the run also records traces. */
  readonly record: boolean
  /**
   * Detects leaking state, at a cost: makes module graphs for this run only, and tracks work
   * through promises from process to process. If the run differs from an ordinary one, state leaks.
   */
  readonly scrutinise?: boolean
  /**
   * Records the source lines of the layer from which commands and effects were sent, at a cost.
   * Requires `record`.
   */
  readonly positions?: boolean
  /**
   * The time of the plan after which source lines are not needed, in virtual microseconds. Default:
   * the end.
   */
  readonly positionsUntilUs?: number
  /** Records the choices, with their subjects. */
  readonly listChoices?: boolean
  /** Keeps the chosen values by stream, at a fraction of the cost. */
  readonly keepChoices?: boolean
  /** Records what Redis executed, and the requests and responses of PostgreSQL sessions. */
  readonly traffic?: boolean
  /** Writes a run trace, for a picture. Only a recorded run can have one. */
  readonly runTrace?: boolean
  /**
   * The run ends after this time of the plan, in virtual microseconds, and is incomplete if it
   * would have continued.
   */
  readonly untilUs?: number
  /** The run ends after this number of events, and is incomplete if it would have continued. */
  readonly events?: number
  /**
   * How far the clocks of all servers are ahead, in milliseconds: one value for each command or
   * statement that a server executes for a consumer, in order. The last value stays in force.
   */
  readonly serversAheadMs?: readonly number[]
  /**
   * Rejects a layer that fails in every delivery. For runs without faults, in which only the layer
   * can be the cause.
   */
  readonly mustWork?: boolean
  /** Records the messages of the run, for an exploration of their orders. */
  readonly journeys?: boolean
  /** Records the steps of the run, so that another host can replay it. */
  readonly schedule?: boolean
}

export interface TimedChoice extends MadeChoice {
  readonly atUs: number
}

/** A command that a store executed for a consumer. */
export interface ExecutedCommand {
  readonly process: string
  readonly label: string
  /** The number of events in the history at that time. */
  readonly seq: number
  /** The whole command, its name first. */
  readonly args: readonly string[]
  readonly reply: Reply
  /** The session of the PostgreSQL server in which the statement was executed. */
  readonly session?: StoreSession
  /** For a read of DynamoDB that missed a write: the reply of a consistent read. */
  readonly missed?: string
  /**
   * The delivery that sent the command, if known from calls and not from the keys in the command.
   */
  readonly sentFor?: number
}

/** A session of PostgreSQL: the same object for all of its statements. */
export interface StoreSession {
  /** The number of events in the history when it ended. Null if it did not end, or held nothing. */
  endedSeq: number | null
  endedUs?: number
}

/** The deliveries whose handlers made commands and requests, if calls show them. */
export interface SentFor {
  /** The delivery of each command, in the order of `executed`; null if unknown. */
  readonly commands: readonly (number | null)[]
  /** The delivery of each request to the sink, by the request's id. */
  readonly requests: ReadonlyMap<number, number>
  /**
   * By request id: the last command of its delivery, if the command had no reply when the sink was
   * called.
   */
  readonly unanswered: ReadonlyMap<number, Unanswered>
}

/** A command without a reply, and for how long it had none. */
export interface Unanswered {
  readonly args: readonly string[]
  readonly forUs: number
}

export interface RunResult {
  readonly history: History
  /**
   * A digest of plan, choices, outcomes and effects: equal for hot and recorded runs of one
   * request.
   */
  readonly digest: string
  /** A digest of the whole recorded history; null in hot runs. */
  readonly historyDigest: string | null
  readonly trail: ChoiceTrail
  /** A digest of the layer's own files: 8 hex digits. */
  readonly layerDigest: string
  /** The choices, in order; null if not requested. */
  readonly choices: readonly TimedChoice[] | null
  /** By the name of a stream: its chosen values, in order; null if not requested. */
  readonly chosen: Readonly<Record<string, readonly number[]>> | null
  /** The order of process, command and outcome, without times. */
  readonly scheduleHash: string
  /** Names of crash points. `cells`: a crash struck at them. `cellsSeen`: a process passed them. */
  readonly cells: readonly string[]
  readonly cellsSeen: readonly string[]
  /**
   * Pairs of neighboring commands, and the faults that struck between the two
   * (`src/run/neighbours.ts`).
   */
  readonly pairs: readonly string[]
  readonly separated: readonly string[]
  readonly unsupported: readonly string[]
  readonly unstruck: readonly UnstruckFault[]
  readonly strikes: readonly StruckFault[]
  readonly executed: readonly ExecutedCommand[]
  /** Absent in hot runs. */
  readonly sentFor?: SentFor
  /** The number of events, weighted for runs with real processes; the same on every machine. */
  readonly eventCount: number
  /** What Redis executed, in order; null if not requested. */
  readonly traffic: readonly TrafficEvent[] | null
  /** Requests and responses of PostgreSQL sessions, in order; null if not requested. */
  readonly sessions: readonly SessionEvent[] | null
  /** Null if not requested. */
  readonly runTrace: RunTrace | null
  readonly schedule: Schedule | null
  readonly journeys: RunJourneys | null
}

/** The messages of a run, and the boundaries that its consumers passed. */
export interface RunJourneys {
  /** All messages in order of sending. */
  readonly sent: readonly Journey[]
  /** Those that arrived, in order of arrival. */
  readonly arrived: readonly Journey[]
  readonly passed: readonly PassedBoundary[]
  /** Objects that a machine used later than at an arrival. The order of such uses is not known. */
  readonly usedLater: readonly string[]
}

export interface PassedBoundary {
  readonly slot: number
  readonly boundary: Boundary
  /** Virtual microseconds since the run began, as in `Journey`. */
  readonly atUs: number
}
