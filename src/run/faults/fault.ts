import fc from 'fast-check'
import type { Delays } from '../../contract/api/history.ts'
import {
  type Boundary,
  commandBoundaries,
  type Plan,
  type PlannedFault,
  picks,
  slotOf,
  type Trigger,
} from '../../contract/api/plan.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { StoreKind } from '../../contract/api/store.ts'
import type { Action } from '../actions.ts'
import type { BoundaryEvent } from '../boundary-event.ts'
import type { Broker } from '../broker.ts'
import type { ClockPort, StorePort } from '../ports.ts'
import type { ProcessRef } from '../process-ref.ts'
import { oneIn } from '../seldom.ts'

/** The parts of a store that faults can read. */
export type StoreView = Pick<StorePort, 'machines' | 'primary'>

/** The parts of the run that faults can read and change. */
export interface FaultView {
  readonly plan: Plan
  readonly sink: SinkKind
  readonly broker: Pick<
    Broker<ProcessRef>,
    'entries' | 'publish' | 'rebalance' | 'passOver' | 'hold' | 'orderAfterHold'
  >
  readonly store: StoreView
  /** The stores other than Redis, by kind. */
  readonly otherStores: ReadonlyMap<string, StoreView>
  /** The stores that the layer asks for. */
  readonly stores: readonly StoreKind[]
  readonly clocks: Pick<ClockPort, 'timersDrift'>
  /** The running or paused process in a slot; null if the slot is empty. */
  running(slot: number): ProcessRef | null
  /** Makes the key poisonous: it does harm `times` times. */
  poison(key: string, how: 'kills' | 'sink-fails', times: number): void
}

/**
 * How a fault strikes: the action of the host, the sentence for people, and how the fault heals.
 */
export interface Strike {
  readonly sentence: string
  /**
   * The action of the host. The fault does not strike if the host returns false. Absent: `strike`
   * has already done everything, or has changed the decision at the boundary.
   */
  readonly action?: Action
  /**
   * The process that was struck, or whose command or link was struck. Absent if the plan alone
   * determines it, or if no process was struck.
   */
  readonly process?: string
  /** The machine of the store that was struck. */
  readonly node?: string
  /**
   * Called when the fault heals; returns how to undo the fault. Absent if there is nothing to undo.
   */
  readonly heal?: () => Healing
}

export interface Healing {
  readonly action?: Action
  /**
   * The sentence for the history when the fault has healed. `answer`: the result of the host, true
   * if there was no action.
   */
  readonly sentence: string | ((answer: boolean) => string)
}

/**
 * The properties of a scenario that the drawing of faults may depend on.
 * @example
 * ```ts
 * import { drawFault, fc, type Scope } from 'onceproof'
 *
 * const scope: Scope = { consumers: 2, spanMs: 500 }
 * console.log(fc.sample(drawFault('crash')(scope), { numRuns: 1, seed: 1 }))
 * ```
 */
export interface Scope {
  readonly consumers: number
  /** The period of virtual time in which the workload runs, in milliseconds. */
  readonly spanMs: number
}

/** One kind of fault: how it is drawn, how it strikes and heals, and its sentence. */
export interface Fault {
  readonly kind: string
  /** What happens, in one sentence for people. */
  readonly about: string
  /**
   * Whose commands wait, or are refused, while the fault is in force. `none`: no commands do, or
   * other facts of the history show the delay, as for a lost reply or a paused process.
   */
  readonly delays: Delays | 'none'
  /** The only store that the fault strikes. Absent: it can strike any store. */
  readonly store?: StoreKind
  /**
   * The fault, as it is drawn, strikes requests to the sink, so it is not drawn for effects that
   * are rows of a database.
   */
  readonly ofRequests?: true
  /** The condition for the fault to strike, worded to follow "it needs". */
  readonly needs: string
  /**
   * The boundaries at which the fault can strike. Absent: it can strike at any boundary, and at a
   * time.
   */
  readonly onlyAt?: readonly Boundary[]
  /**
   * Returns false if no run of the plan can meet the condition of the fault (`needs`). Absent: the
   * plan does not matter.
   */
  canStrike?(plan: Plan, fault: PlannedFault): boolean
  draw(scope: Scope): fc.Arbitrary<PlannedFault>
  /**
   * Null if there is nothing to strike: the process has ended, or the state of the fault already
   * exists. At a boundary, `event` is the step that passes, and this function may change the
   * decision about it.
   */
  strike(view: FaultView, fault: PlannedFault, event: BoundaryEvent | null): Strike | null
}

/**
 * Draws a trigger: a consumer slot passes one of `boundaries` for the first to eighth time, mostly
 * the first or second, because few runs pass a boundary more often. One in three triggers at
 * boundaries of commands is aimed at a kind of command.
 */
export function atBoundary({ consumers }: Scope, boundaries: readonly Boundary[]): fc.Arbitrary<Trigger> {
  const consumer = fc.nat({ max: consumers - 1 })
  const nth = fc.oneof(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 8 }))
  const aim = oneIn(3, fc.record({ pick: fc.nat({ max: picks - 1 }) }))
  return fc.record({ at: fc.constantFrom(...boundaries), consumer, nth, aim }).map(({ aim: of, ...when }) => {
    if (of === undefined || !commandBoundaries.includes(when.at)) return when
    // Few runs send the same command for the same key more than twice, so a larger `nth` would
    // rarely strike.
    return { ...when, consumer: 0, nth: when.nth > 2 ? 1 : when.nth, of }
  })
}

export function atTime({ spanMs }: Scope): fc.Arbitrary<Trigger> {
  return fc.record({ at: fc.constant('time' as const), ms: fc.nat({ max: spanMs }) })
}

/** A short, medium or long duration in milliseconds, because bugs occur on all three scales. */
export function durationMs(): fc.Arbitrary<number> {
  return fc.oneof(
    { withCrossShrink: true },
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 51, max: 2000 }),
    fc.integer({ min: 2001, max: 30_000 }),
  )
}

/**
 * The process that a fault is aimed at: the one that passes the boundary, or the one in the slot;
 * null if it has ended.
 */
export function victim(view: FaultView, fault: PlannedFault, event: BoundaryEvent | null): ProcessRef | null {
  const process = event === null ? view.running(slotOf(fault)) : event.process
  return process === null || process.state === 'ended' ? null : process
}

/**
 * The other end of the link that the fault strikes. For a layer that does not use Redis, `redis`
 * stands for the layer's store.
 */
export function farEnd({ stores }: FaultView, fault: PlannedFault): string {
  const node = String(fault.node)
  return node === 'redis' && !stores.includes('redis') ? stores[0]! : node
}

/**
 * The nodes that a name stands for: the name of a store (each machine of its deployment), `sink` or
 * `broker`.
 */
export function nodesOf(view: FaultView, node: string): readonly string[] {
  return storeOf(view, node)?.machines.map(({ name }) => name) ?? [node]
}

/** The name of the store in the sentence of a fault. */
export const storeWords = ({ otherStores }: FaultView): string => (otherStores.size === 0 ? 'Redis' : 'its store')

/** The store of this kind; undefined if the run does not have it. */
export function storeOf({ store, otherStores }: FaultView, kind: string): StoreView | undefined {
  return kind === 'redis' ? store : otherStores.get(kind)
}
