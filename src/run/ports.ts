/**
 * The interfaces that a host offers to a run: the simulated host (src/sim/world) and the live one
 * (src/live) implement them.
 */
import type { Fact } from '../contract/api/history.ts'
import type { Boundary, Plan } from '../contract/api/plan.ts'
import type { StoreKind } from '../contract/api/store.ts'
import type { ClockAction, FlowDirection, LinkAction, StoreAction } from './actions.ts'
import type { BoundaryEvent } from './boundary-event.ts'
import type { Answer, Delivery } from './broker.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ProcessRef } from './process-ref.ts'
import type { Ledger } from './sink/memory-ledger.ts'
import type { Steps } from './steps.ts'

/** The clock of a run, virtual or real. */
export interface RunClock {
  /** Microseconds on a clock that never steps. */
  nowUs(): number
  /** Does the work after the delay. Returns a function that cancels the work. */
  after(delayUs: number, work: () => MaybePromise<void>): () => void
}

/**
 * The host's interface for one run. All members are own properties, so that parts of the run can
 * copy them by spreading or destructuring.
 */
export interface RunPorts<P extends ProcessRef> extends RunClock {
  readonly plan: Plan
  /** Milliseconds since the Unix epoch at `nowUs() === 0`. */
  readonly epochMs: number
  readonly recorder: { fact(fact: Fact): void }
  /** Draws an integer from 0 to `n` - 1 from a named random stream; `what` names the decision. */
  chance(stream: string, what: string, n: number): number
  /** Controls the processes, and reports their events to the runner's `slots`. */
  readonly driver: ConsumerDriver<P>
  readonly links: LinkPort
  readonly clocks: ClockPort
  /** The port for Redis. */
  readonly store: StorePort
  /** The stores other than Redis, by kind. Absent: none. */
  readonly otherStores?: ReadonlyMap<StoreKind, StorePort>
  /** The stores that the layer asks for. Absent: only Redis. */
  readonly stores?: readonly StoreKind[]
  readonly ledger: Ledger
  /** Called when a consumer passes a boundary. Absent: the boundaries are not recorded. */
  readonly passed?: (slot: number, boundary: Boundary) => void
  /** Receives errors from background work: a bug of the harness, or a failure of the host. */
  failed(error: unknown): void
  /**
   * Records all events that enter the runner, or makes them follow a recorded schedule. Absent if
   * the run does neither.
   */
  readonly steps?: Steps
}

/** Controls consumer processes. */
export interface ConsumerDriver<P extends ProcessRef> {
  /** Starts a process that creates the layer; reports `created` or `createFailed`. */
  start(slot: number, name: string, incarnation: number): P
  /** Runs work as a turn of the process, as soon as the process is not paused. */
  inTurn(process: P, work: () => void): void
  /** Hands the delivery to the layer's handler; reports `answered`. */
  deliver(process: P, delivery: Delivery<P>): void
  /** Does work that sends data of the process: at once, or when the process is resumed. */
  whenRunning(process: P, work: () => void): void
  kill(process: P): void
  pause(process: P): void
  resume(process: P): void
}

export interface ConsumerReports<P extends ProcessRef> {
  created(process: P): void
  createFailed(process: P, error: string): void
  answered(process: P, delivery: Delivery<P>, answer: Answer): void
  /** The process ended, and not because of a fault. */
  died(process: P, error: string): void
}

export interface LinkPort {
  /**
   * Carries a message between a consumer slot and the broker. The message takes the delay of the
   * link, and waits while the link is blocked.
   */
  carry(slot: number, direction: FlowDirection, arrive: () => void): void
  /**
   * `event`: the step at which a fault requests the action. `fault`: the index of the fault in the
   * plan, from 0.
   */
  carryOut(action: LinkAction, event: BoundaryEvent | null, fault: number): MaybePromise<boolean>
}

export interface ClockPort {
  /** True if a machine's timers drift with its wall clock. */
  readonly timersDrift: boolean
  carryOut(action: ClockAction): MaybePromise<boolean>
}

/** One machine of a store's deployment. */
export interface StoreMachine {
  readonly name: string
  readonly runs: StoreKind | 'sentinel'
  readonly up: boolean
  /** An extra replica that Sentinels and layers do not know about. */
  readonly isSpare?: boolean
}

/** A machine that stores data. */
export interface StoreServer extends StoreMachine {
  readonly hasDisk: boolean
  /** True if another server replaces this one when it is lost. */
  readonly hasStandby?: boolean
}

/**
 * A store of idempotency records: Redis, or a store of another kind, with other commands and the
 * same interface for faults.
 */
export interface StorePort {
  /** The servers, followed by the Sentinels. */
  readonly machines: readonly StoreMachine[]
  /** The server that takes writes. */
  readonly primary: StoreServer
  carryOut(action: StoreAction): MaybePromise<boolean>
}
