/** What the harness and a consumer process say to each other over Node's IPC channel. */
import type { LockNews, RedisAddress } from '../../contract/api/implementation.ts'
import type { Message, Outcome } from '../../contract/api/message.ts'
import type { PlannedWork, ResultStyle } from '../../contract/api/plan.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { StoreAddresses } from '../../contract/api/store.ts'
import type { Heard, SinkQuestion } from '../../contract/results/step.ts'
import type { SinkReply } from '../../run/sink/sink-errors.ts'
import type { ClockShift } from './clocks.ts'

/** Of the connections of a process by that port, from 1, as they were begun. */
export interface BegunConnection {
  readonly port: number
  readonly number: number
}

/**
 * Boundaries that only the consumer's own process can see; it waits there for the harness's `go`.
 */
export type ConsumerGate =
  /** `redisKey`: the first that the command names. `first`: of those that were written at once. */
  | {
      readonly at: 'command-unsent'
      readonly command: number
      readonly label: string
      readonly connection: number
      /** By which it goes. */
      readonly port: number
      /** This process's own end of the connection, where it may have several to one server. */
      readonly localPort?: number
      readonly redisKey?: string
      readonly first: boolean
      /**
       * Of an SQL statement, where the run follows a schedule: what it is about once it is
       * executed; null where it is not, for its transaction has failed.
       */
      readonly executes?: { readonly about?: string } | null
    }
  /** The client takes its leave of PostgreSQL; only where the run follows a schedule. */
  | { readonly at: 'leaving'; readonly port: number; readonly localPort: number }
  /** `port`: by which it came, where a server that has died takes its answers along. */
  | { readonly at: 'reply-received'; readonly command: number; readonly label: string; readonly port?: number }
  /** `statement`: of a `transactional` sink, which is asked for one. */
  | {
      readonly at: 'effect-unsent'
      readonly key: string
      readonly fingerprint: string
      readonly fence?: number
      readonly statement?: true
    }
  | { readonly at: 'effect-answered'; readonly requestId: number }
  /** Only where the run follows a schedule. */
  | ({ readonly at: 'sink-unasked' } & SinkQuestion)
  /**
   * What answers no command of that connection, or that it is over; only where the run follows a
   * schedule.
   */
  | { readonly at: 'heard'; readonly what: Heard; readonly connection: number; readonly begun: BegunConnection }
  /**
   * To a server of Redis, which refuses where that is dropped; only where the run follows a
   * schedule.
   */
  | { readonly at: 'connecting'; readonly port: number }
  /**
   * A question to the Sentinel behind that port, and the answer; only where the run follows a
   * schedule.
   */
  | { readonly at: 'asking'; readonly connection: number; readonly port: number; readonly question: string }
  | { readonly at: 'told'; readonly connection: number; readonly port: number; readonly question: string }

export interface CreateOrder {
  readonly type: 'create'
  readonly instanceId: string
  /** Absent where the layer does not ask for it. */
  readonly redis?: RedisAddress
  /** The stores beside it. */
  readonly stores: StoreAddresses
  readonly leaseMs: number
  readonly retentionMs: number
  readonly sink: {
    readonly kind: SinkKind
    readonly url: string
    readonly timeoutMs: number
    readonly work?: PlannedWork
    /**
     * Of a `transactional` one: how long the caller works on an effect before it has its statement,
     * and what it gives.
     */
    readonly effectMs: number
    readonly results?: ResultStyle
  }
  /** Ports of this machine that lead to Redis. */
  readonly redisPorts: readonly number[]
  /**
   * Ports by which servers of a Cluster tell of each other, each with the one by which this process
   * reaches that server.
   */
  readonly portsReported: readonly (readonly [number, number])[]
  /** What the layer draws with `Math.random`, as in the schedule; beyond that, chance. */
  readonly chances: readonly number[]
  /** And to PostgreSQL. */
  readonly postgresPorts: readonly number[]
  /**
   * Ports of Sentinels, where the run follows a schedule: what is asked there has its steps, too.
   */
  readonly sentinelPorts: readonly number[]
  /** Waits at the boundaries of commands, too. */
  readonly watchCommands: boolean
  /**
   * The run follows a schedule: a command is written as soon as the client says so, and leaves when
   * it may.
   */
  readonly holds: boolean
  /** Without libfaketime: its `Date` is to be shifted by orders of type `clock`. */
  readonly shiftsDate: boolean
  /**
   * On a server of somebody's: a command that names a key without it is not sent, and ends the run.
   */
  readonly keyPrefix: string | null
}

/** Where a process reaches its stores. */
export type StoreLinks = Pick<
  CreateOrder,
  'redis' | 'redisPorts' | 'portsReported' | 'keyPrefix' | 'stores' | 'postgresPorts'
>

/**
 * What the clocks of a process show whose run follows a schedule: the one that faults shift, since
 * the epoch, and one that never steps.
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
  /** A call of the sink has had no answer for as long as it may take. */
  | { readonly type: 'time-out'; readonly requestId: number }
  /** A timer of the layer goes off, if it was not cleared in the meantime. */
  | { readonly type: 'fire'; readonly timer: number }
  /** What its clocks say: answered at once by one that runs. */
  | { readonly type: 'look'; readonly look: number }
  /** Its connections to Redis are reset; those by that port alone, where one is given. */
  | { readonly type: 'reset'; readonly port?: number }
  /** Whether it is at rest, with `asked` of its requests at the sink: answered once it is. */
  | { readonly type: 'rest'; readonly question: number; readonly requestsAtSink: number }
  /** The question need not be answered any more. */
  | { readonly type: 'rest-over' }
  /**
   * `drop`: what waits there goes no further. `reset`: its connection is reset. `instead`: what
   * comes in place of a statement.
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
  /** What the layer says of its lock. */
  | { readonly type: 'lock'; readonly key: string; readonly what: LockNews }
  /** For people: a command and its reply, told when the reply came. */
  | { readonly type: 'command'; readonly node?: string; readonly command: string; readonly reply: string }
  /**
   * If the run follows a schedule: the same as it was, a byte a character, as soon as the reply is
   * there. It is one message with the gate at which the reply waits: if that came later, the
   * schedule could go on before the reply is let in.
   */
  | {
      readonly type: 'replied'
      readonly connection: number
      /** Null if the layer had closed the connection before: it gets no reply. */
      readonly gate: number | null
      readonly command: number
      readonly label: string
      readonly args: readonly string[]
      readonly reply: string
      readonly redisKey?: string
      /**
       * Of an SQL statement: requests whose effects are in the transaction that has committed with
       * it.
       */
      readonly committed?: readonly number[]
    }
  /**
   * Where the run follows a schedule: PostgreSQL has ended a statement or a session by its own
   * clock.
   */
  | { readonly type: 'cut-short'; readonly error: string }
  /**
   * Where the run follows a schedule: timers of the layer, and that an order is carried out with
   * what it brought about at once.
   */
  | { readonly type: 'timer-set'; readonly timer: number; readonly delayMs: number }
  | { readonly type: 'timer-cleared'; readonly timer: number }
  | { readonly type: 'digested' }
  | { readonly type: 'at-rest'; readonly question: number }
  /** A connection to a store. */
  | { readonly type: 'connection-open'; readonly connection: number }
  /** `unheard`: nothing was let in on it; only where the run follows a schedule. */
  | { readonly type: 'connection-closed'; readonly connection: number; readonly unheard?: BegunConnection }
  /**
   * A command has left for a store, or a request for the sink, by the link of that port; and its
   * answer is there. Times are those of `monotonicMs`.
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
   * `wallMs`: since the epoch, by the clock that faults may shift, at some moment between the other
   * two.
   */
  | {
      readonly type: 'looked'
      readonly look: number
      readonly wallMs: number
      readonly fromMs: number
      readonly toMs: number
    }
  /** A time limit that the layer set itself: a timer, an expiry. */
  | { readonly type: 'limit'; readonly ms: number }
  /** A timer of the process's own was that late: the machine does not keep up. */
  | { readonly type: 'late'; readonly ms: number }
  /** The layer uses Redis, and does not ask for it. */
  | { readonly type: 'no-redis' }
  /** A command named a key outside of the prefix, and was not sent. */
  | { readonly type: 'outside-prefix'; readonly command: string }

/** With the time of the schedule, where the run follows one. */
export type TimedOrder = ToConsumer & { readonly time?: ProcessTime }

/** In a run that follows a schedule: what is carried out one after the other, and told of. */
export const isInTurn = ({ type }: ToConsumer): boolean =>
  type !== 'look' && type !== 'clock' && type !== 'deploy' && type !== 'rest' && type !== 'rest-over'
