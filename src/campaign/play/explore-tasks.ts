/**
 * Tasks of an exploration, as plain data, and their results. An order is the sequence of the steps
 * of a run.
 */
import type { Plan, PlannedFault } from '../../contract/api/plan.ts'
import type { ChoiceLists } from '../token/run-choices.ts'
import type { PairTask } from './tasks.ts'

/** `apart`: each delivery has a consumer. `together`: one consumer handles all of them at once. */
export type Shape = 'apart' | 'together'

export interface Placed {
  readonly fault: PlannedFault
  readonly healsLater: boolean
}

/**
 * By boundary of a consumer, for each time that one of the runs passed it: false if a process that
 * ends there is the same to the others as one that ended at the boundary before, in all runs.
 */
export type PassedBoundaries = ReadonlyMap<string, readonly boolean[]>

export interface ExploreTask extends Omit<PairTask, 'seed' | 'fresh'> {
  readonly deliveries: number
  readonly shape: Shape
  /** True for a primary with a replica and three Sentinels. Absent: one server. */
  readonly sentinels?: true
  readonly faults: readonly Placed[]
  /** True to stop at the first order that violates an invariant. */
  readonly bail: boolean
  /** True to play only the order in which no message is delayed. */
  readonly undelayed: boolean
  /** The most runs. */
  readonly runs: number
  /** The most events of all runs together. Absent: as many as the runs have. */
  readonly events?: number
}

export interface Explored extends OrdersFound {
  readonly passed: PassedBoundaries
}

/** What the orders of one plan, or of several, showed. */
export interface OrdersFound {
  /**
   * The number of distinct orders. Orders that differ only in the order of independent steps count
   * as one.
   */
  orders: number
  /** The number of runs. It can exceed `orders`, because some runs repeat an order. */
  runs: number
  /** The number of events of all runs. */
  events: number
  /**
   * The number of candidates that were not played, because a candidate with the same beginning had
   * been queued already.
   */
  known: number
  /** The number of distinct orders that violated an invariant. */
  broke: number
  /** The number of races whose order cannot be reversed by delaying messages. */
  beyondLatency: number
  /** True if orders were left when the exploration ended. */
  isCut: boolean
  readonly unknown: Set<string>
  /** Orders with a violation that no smaller order had, the smallest first. */
  readonly broken: BrokenOrder[]
  /** The outcomes: verdicts, effects and answers, without times. */
  readonly outcomes: Set<string>
}

export interface BrokenOrder {
  readonly plan: Plan
  readonly choices: ChoiceLists
  readonly invariant: string
  readonly kind: string
}
