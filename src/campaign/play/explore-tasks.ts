/** Tasks of an exploration, as plain data, and their results. */
import type { Plan, PlannedFault } from '../../contract/api/plan.ts'
import type { ChoiceLists } from '../token/run-choices.ts'
import type { PairTask } from './tasks.ts'

/** `apart`: each delivery has a consumer. `together`: one consumer handles all of them at once. */
export type Shape = 'apart' | 'together'

export interface Placed {
  readonly fault: PlannedFault
  readonly healsLater: boolean
}

/** How often a consumer passes each boundary in some order. */
export type PassedCounts = ReadonlyMap<string, number>

export interface ExploreTask extends Omit<PairTask, 'seed' | 'fresh'> {
  readonly deliveries: number
  readonly shape: Shape
  readonly faults: readonly Placed[]
  /** True to stop at the first order that violates an invariant. */
  readonly bail: boolean
  /** The most runs. */
  readonly runs: number
}

export interface Explored extends OrdersFound {
  readonly passed: PassedCounts
}

/** What the orders of one plan, or of several, showed. */
export interface OrdersFound {
  /** Orders that differ in steps that used something in common. */
  orders: number
  /** Runs: some had an order that was known. */
  runs: number
  /** Orders that were not played, because they begin like one that was and go on in every way. */
  known: number
  /** Orders that violated an invariant. */
  broke: number
  /** Races that no latency can turn around. */
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
