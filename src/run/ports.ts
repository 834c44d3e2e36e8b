/**
 * What a run stands on: the simulated host (src/sim/world) and the live one (src/live) each offer
 * these.
 */
import type { Fact } from '../contract/api/history.ts'
import type { Plan } from '../contract/api/plan.ts'
import type { StoreKind } from '../contract/api/store.ts'
import type { ClockAction, FlowDirection, LinkAction, StoreAction } from './actions.ts'
import type { BoundaryEvent } from './boundary-event.ts'
import type { Answer, Delivery } from './broker.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { ProcessRef } from './process-ref.ts'
import type { Ledger } from './sink/memory-ledger.ts'
import type { Steps } from './steps.ts'

/** Time, chance and the history: virtual or real. */
export interface RunClock {
  /** Microseconds on a clock that never steps. */
  nowUs(): number
  /** Answers how to take it back. */
  after(delayUs: number, work: () => MaybePromise<void>): () => void
}

/** Members are its own, so that parts of the run can be handed some of them. */
export interface RunPorts<P extends ProcessRef> extends RunClock {
  readonly plan: Plan
  /** Milliseconds since the Unix epoch at `nowUs() === 0`. */
  readonly epochMs: number
  readonly recorder: { fact(fact: Fact): void }
  /** An integer below `n` of the stream of that name; `what` names the decision. */
  chance(stream: string, what: string, n: number): number
  /** What happens to its processes, it reports to the runner's `slots`. */
  readonly driver: ConsumerDriver<P>
  readonly links: LinkPort
  readonly clocks: ClockPort
  /** Redis. */
  readonly store: StorePort
  /** The stores beside it, by kind. Absent: none. */
  readonly otherStores?: ReadonlyMap<StoreKind, StorePort>
  /** Those that the layer asks for. Absent: Redis alone. */
  readonly stores?: readonly StoreKind[]
  readonly ledger: Ledger
  /** Takes what was thrown behind the runner's back: a bug of ours, or a host that failed. */
  failed(error: unknown): void
  /**
   * Where all that enters the runner is written down, or follows an order. Absent in other runs.
   */
  readonly steps?: Steps
}

/** Consumer processes: started, handed deliveries, killed, paused. */
export interface ConsumerDriver<P extends ProcessRef> {
  /** Starts a process that creates the layer; reports `created` or `createFailed`. */
  start(slot: number, name: string, incarnation: number): P
  /** Does work that is the process's own, when the process runs. */
  inTurn(process: P, work: () => void): void
  /** Hands the delivery to the layer's handler; reports `answered`. */
  deliver(process: P, delivery: Delivery<P>): void
  /** Lets go what the process sends: at once, or when it runs again. */
  whenRunning(process: P, work: () => void): void
  kill(process: P): void
  pause(process: P): void
  resume(process: P): void
}

export interface ConsumerReports<P extends ProcessRef> {
  created(process: P): void
  createFailed(process: P, error: string): void
  answered(process: P, delivery: Delivery<P>, answer: Answer): void
  /** It ended, and no fault ended it. */
  died(process: P, error: string): void
}

export interface LinkPort {
  /**
   * Carries something between a consumer slot and the broker, at the pace of that link and while it
   * is not blocked.
   */
  carry(slot: number, direction: FlowDirection, arrive: () => void): void
  /**
   * `event`: the step at which a fault asks for it. `fault`: which of the plan's, counted from 0.
   */
  carryOut(action: LinkAction, event: BoundaryEvent | null, fault: number): MaybePromise<boolean>
}

export interface ClockPort {
  /**
   * Whether a machine's timers keep the pace of its wall clock, also where that is too fast or too
   * slow.
   */
  readonly timersDrift: boolean
  carryOut(action: ClockAction): MaybePromise<boolean>
}

/** One machine of the store's deployment. */
export interface StoreMachine {
  readonly name: string
  readonly runs: StoreKind | 'sentinel'
  readonly up: boolean
  /** It is in nobody's count, whether it is up or not. */
  readonly isSpare?: boolean
}

/** One that keeps data. */
export interface StoreServer extends StoreMachine {
  readonly hasDisk: boolean
  /** Another server takes its place where it is lost. */
  readonly hasStandby?: boolean
}

/**
 * What idempotency records are kept in: Redis is the first; another kind has other commands and
 * degrades in the same ways.
 */
export interface StorePort {
  /** Servers, then those that watch them. */
  readonly machines: readonly StoreMachine[]
  /** The server that takes writes. */
  readonly primary: StoreServer
  carryOut(action: StoreAction): MaybePromise<boolean>
}
