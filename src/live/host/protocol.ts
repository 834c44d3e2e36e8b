/** The messages between the harness and a consumer process over Node's IPC channel. */
import type { LockNews, RedisAddress } from '../../contract/api/implementation.ts'
import type { Message, Outcome } from '../../contract/api/message.ts'
import type { PlannedWork, ResultStyle } from '../../contract/api/plan.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { StoreAddresses } from '../../contract/api/store.ts'
import type { Heard, SinkQuestion } from '../../contract/results/step.ts'
import type { SinkReply } from '../../run/sink/sink-errors.ts'
import type { ClockShift } from './clocks.ts'

/**
 * Identifies a connection. `number`: counts the process's connections by that port from 1, in the
 * order in which they began.
 */
export interface BegunConnection {
  readonly port: number
  readonly number: number
}

/**
 * A boundary that only the consumer's process can see. The process waits there for the `go` of the
 * harness.
 */
export type ConsumerGate =
  /**
   * `redisKey`: the first key that the command names. `first`: true for the first of the commands
   * that were written at once.
   */
  | {
      readonly at: 'command-unsent'
      readonly command: number
      readonly label: string
      readonly connection: number
      /** The port through which the command is sent. */
      readonly port: number
      /** The local port of the connection, if the process may have several to one server. */
      readonly localPort?: number
      readonly redisKey?: string
      readonly first: boolean
      /**
       * For an SQL statement in a scheduled run: what the statement concerns once it is executed;
       * null if it is not executed because its transaction has failed.
       */
      readonly executes?: { readonly about?: string } | null
    }
  /** The client terminates its PostgreSQL connection. Used only in a scheduled run. */
  | { readonly at: 'leaving'; readonly port: number; readonly localPort: number }
  /** `port`: the port by which the reply came. Set if a server that dies loses its replies. */
  | { readonly at: 'reply-received'; readonly command: number; readonly label: string; readonly port?: number }
  /** `statement`: set for a `transactional` sink, which is asked for a statement. */
  | {
      readonly at: 'effect-unsent'
      readonly key: string
      readonly fingerprint: string
      readonly fence?: number
      readonly statement?: true
    }
  | { readonly at: 'effect-answered'; readonly requestId: number }
  /** A question to the sink. Used only in a scheduled run. */
  | ({ readonly at: 'sink-unasked' } & SinkQuestion)
  /**
   * Something that answers no command of that connection, or the connection's end. Used only in a
   * scheduled run.
   */
  | { readonly at: 'heard'; readonly what: Heard; readonly connection: number; readonly begun: BegunConnection }
  /**
   * A new connection to a Redis server. If the gate drops it, the connection is refused. Used only
   * in a scheduled run.
   */
  | { readonly at: 'connecting'; readonly port: number }
  /** A question to the Sentinel behind that port, and its answer. Used only in a scheduled run. */
  | { readonly at: 'asking'; readonly connection: number; readonly port: number; readonly question: string }
  | { readonly at: 'told'; readonly connection: number; readonly port: number; readonly question: string }

export interface CreateOrder {
  readonly type: 'create'
  readonly instanceId: string
  /** The address of Redis; absent if the layer does not request Redis. */
  readonly redis?: RedisAddress
  /** The stores other than Redis. */
  readonly stores: StoreAddresses
  readonly leaseMs: number
  readonly retentionMs: number
  readonly sink: {
    readonly kind: SinkKind
    readonly url: string
    readonly timeoutMs: number
    readonly work?: PlannedWork
    /**
     * For a `transactional` sink: how long the caller works on an effect before it has its
     * statement, and the kind of its result.
     */
    readonly effectMs: number
    readonly results?: ResultStyle
  }
  /** The ports of this machine that lead to Redis. */
  readonly redisPorts: readonly number[]
  /**
   * Pairs: a port that Cluster servers report for another server, and the port by which this
   * process reaches that server.
   */
  readonly portsReported: readonly (readonly [number, number])[]
  /**
   * The values that `Math.random` returns to the layer, as in the schedule. Later values are
   * random.
   */
  readonly chances: readonly number[]
  /** The ports of this machine that lead to PostgreSQL. */
  readonly postgresPorts: readonly number[]
  /**
   * The ports of Sentinels if the run follows a schedule, because then questions to Sentinels are
   * steps, too.
   */
  readonly sentinelPorts: readonly number[]
  /** True if the process also waits at the boundaries of commands. */
  readonly watchCommands: boolean
  /**
   * True if the run follows a schedule: a command counts as written when the client issues it, and
   * is sent when the schedule allows it.
   */
  readonly holds: boolean
  /** True without libfaketime: orders of type `clock` shift the `Date` of the process. */
  readonly shiftsDate: boolean
  /**
   * Set on a user's server. A command that names a key without the prefix is not sent, and ends the
   * run.
   */
  readonly keyPrefix: string | null
}

/** The addresses at which a process reaches its stores. */
export type StoreLinks = Pick<
  CreateOrder,
  'redis' | 'redisPorts' | 'portsReported' | 'keyPrefix' | 'stores' | 'postgresPorts'
>

/**
 * The clocks of a process in a scheduled run, in milliseconds: one clock counts since the epoch and
 * is shifted by faults; the other never steps.
 */
export interface ProcessTime {
  readonly wallMs: number
  readonly monotonicMs: number
}

export type ToConsumer =
  | CreateOrder
  | ({ readonly type: 'deploy' } & StoreLinks)
  | { readonly type: 'deliver'; readonly deliveryId: number; readonly message: Message }
  | ({ readonly type: 'clock' } & ClockShift)
  /** Orders a call of the sink to time out. */
  | { readonly type: 'time-out'; readonly requestId: number }
  /** Orders a timer of the layer to fire, unless it was cleared in the meantime. */
  | { readonly type: 'fire'; readonly timer: number }
  /** Requests the time of the process's clocks. A running process answers at once. */
  | { readonly type: 'look'; readonly look: number }
  /** Orders the process to reset its connections to Redis, or only those by `port`. */
  | { readonly type: 'reset'; readonly port?: number }
  /**
   * Asks whether the process is at rest while the harness has `requestsAtSink` of its requests at
   * the sink. The process answers once it is at rest.
   */
  | { readonly type: 'rest'; readonly question: number; readonly requestsAtSink: number }
  /** Cancels the question about rest. */
  | { readonly type: 'rest-over' }
  /**
   * The decision at a gate. `drop`: the message that waits there is dropped. `reset`: its
   * connection is reset. `instead`: the reply instead of a statement.
   */
  | {
      readonly type: 'go'
      readonly gate: number
      readonly drop: boolean
      readonly reset?: boolean
      readonly requestId?: number
      readonly instead?: SinkReply
    }

export type FromConsumer =
  | { readonly type: 'loaded' }
  | { readonly type: 'load-failed'; readonly error: string }
  | { readonly type: 'created' }
  | { readonly type: 'create-failed'; readonly error: string }
  | { readonly type: 'deployed' }
  | { readonly type: 'deploy-failed'; readonly error: string }
  | { readonly type: 'gate'; readonly gate: number; readonly where: ConsumerGate }
  | { readonly type: 'answered'; readonly deliveryId: number; readonly outcome: Outcome }
  | { readonly type: 'threw'; readonly deliveryId: number; readonly error: string }
  | {
      readonly type: 'effect-answered'
      readonly requestId: number
      readonly answer: 'receipt' | 'refused' | 'error'
      readonly error?: string
    }
  /** A lock event that the layer reports. */
  | { readonly type: 'lock'; readonly key: string; readonly what: LockNews }
  /** A command and its reply for reports, sent when the reply came. */
  | { readonly type: 'command'; readonly node?: string; readonly command: string; readonly reply: string }
  /**
   * In a scheduled run: the raw reply with one character for each byte, sent as soon as it has
   * arrived. The message also contains the gate at which the reply waits. If the gate came in a
   * separate, later message, the schedule could continue before the reply is released.
   */
  | {
      readonly type: 'replied'
      readonly connection: number
      /** The gate; null if the layer has closed the connection, so that it gets no reply. */
      readonly gate: number | null
      readonly command: number
      readonly label: string
      readonly args: readonly string[]
      readonly reply: string
      readonly redisKey?: string
      /** For an SQL statement: the requests whose effects its transaction has committed. */
      readonly committed?: readonly number[]
    }
  /** In a scheduled run, PostgreSQL ended a statement or a session by its own timeout. */
  | { readonly type: 'cut-short'; readonly error: string }
  /**
   * In a scheduled run, reports about timers of the layer, and `digested` once an order and its
   * immediate effects are done.
   */
  | { readonly type: 'timer-set'; readonly timer: number; readonly delayMs: number }
  | { readonly type: 'timer-cleared'; readonly timer: number }
  | { readonly type: 'digested' }
  | { readonly type: 'at-rest'; readonly question: number }
  /** A connection to a store. */
  | { readonly type: 'connection-open'; readonly connection: number }
  /**
   * A connection to a store has closed. `unheard`: set in a scheduled run if the process received
   * nothing on the connection.
   */
  | { readonly type: 'connection-closed'; readonly connection: number; readonly unheard?: BegunConnection }
  /**
   * A command for a store, or a request for the sink, was sent by the link of that port; later its
   * answer arrived. Times are those of `monotonicMs`.
   */
  | {
      readonly type: 'exchange-sent'
      readonly exchange: number
      readonly port: number
      readonly connection?: number
      readonly command?: number
      readonly atMs: number
    }
  | { readonly type: 'exchange-answered'; readonly exchange: number; readonly atMs: number }
  /**
   * `wallMs`: the time since the epoch by the clock that faults may shift, read between `fromMs`
   * and `toMs`.
   */
  | {
      readonly type: 'looked'
      readonly look: number
      readonly wallMs: number
      readonly fromMs: number
      readonly toMs: number
    }
  /** A time limit that the layer set: a timer or an expiry. */
  | { readonly type: 'limit'; readonly ms: number }
  /** A timer of the process was late by `ms`, which shows that the machine is too slow. */
  | { readonly type: 'late'; readonly ms: number }
  /** The layer uses Redis without requesting it. */
  | { readonly type: 'no-redis' }
  /** A command named a key outside of the prefix, and was not sent. */
  | { readonly type: 'outside-prefix'; readonly command: string }

/** An order, with the time of the schedule if the run follows one. */
export type TimedOrder = ToConsumer & { readonly time?: ProcessTime }

/**
 * True for orders that a process of a scheduled run carries out one after the other and reports as
 * `digested`.
 */
export const isInTurn = ({ type }: ToConsumer): boolean =>
  type !== 'look' && type !== 'clock' && type !== 'deploy' && type !== 'rest' && type !== 'rest-over'
