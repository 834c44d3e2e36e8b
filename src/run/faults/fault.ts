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

/** A store as faults see it. */
export type StoreView = Pick<StorePort, 'machines' | 'primary'>

/** The run as faults see it, and what of it the runner itself owns. */
export interface FaultView {
  readonly plan: Plan
  readonly sink: SinkKind
  readonly broker: Pick<
    Broker<ProcessRef>,
    'entries' | 'publish' | 'rebalance' | 'passOver' | 'hold' | 'orderAfterHold'
  >
  readonly store: StoreView
  /** The stores beside Redis, by kind. */
  readonly otherStores: ReadonlyMap<string, StoreView>
  /** Those that the layer asks for. */
  readonly stores: readonly StoreKind[]
  readonly clocks: Pick<ClockPort, 'timersDrift'>
  /** The process that lives in a slot, paused or running; null when none does. */
  running(slot: number): ProcessRef | null
  /** From now on that key does harm, that many times. */
  poison(key: string, how: 'kills' | 'sink-fails', times: number): void
}

/**
 * What a fault does: what is asked of the host, the sentence for a person, and how it is healed.
 */
export interface Strike {
  readonly sentence: string
  /**
   * Nothing is struck where the host answers false. Absent: it is done already, or decided at the
   * boundary.
   */
  readonly action?: Action
  /** Whose process, command or link it befell, where the plan alone does not say. */
  readonly process?: string
  /** The machine of the store that it befell. */
  readonly node?: string
  /** What undoes it, asked when the time has come. Absent where there is nothing to undo. */
  readonly heal?: () => Healing
}

export interface Healing {
  readonly action?: Action
  /**
   * Told when it is done; `answer`: what the host answered, true where there was nothing to ask.
   */
  readonly sentence: string | ((answer: boolean) => string)
}

/** What the drawing of a fault may lean on. */
export interface Scope {
  readonly consumers: number
  /** The stretch of virtual time in which the workload is under way. */
  readonly spanMs: number
}

/** One kind of fault: how it is drawn, what it does, how it is healed and told in a sentence. */
export interface Fault {
  readonly kind: string
  /** One sentence: what happens, as a person would say it. */
  readonly about: string
  /**
   * Whose commands wait, or are refused, while it is in force. `none`: no command does, or another
   * fact of the history says so, as a lost reply and a paused process do.
   */
  readonly delays: Delays | 'none'
  /** The only store that it strikes. Absent: it strikes whatever the run has. */
  readonly store?: StoreKind
  /**
   * As it is drawn, it strikes requests to the sink: effects which are rows have nothing that it
   * could strike.
   */
  readonly ofRequests?: true
  /** What must be there for it to strike: the rest of "it needs …". */
  readonly needs: string
  /**
   * The boundaries of what it strikes: elsewhere, and at a time, there is nothing to strike.
   * Absent: it strikes anywhere.
   */
  readonly onlyAt?: readonly Boundary[]
  /** Whether a run of that plan can have what it needs beside that. Absent: any run can. */
  canStrike?(plan: Plan, fault: PlannedFault): boolean
  draw(scope: Scope): fc.Arbitrary<PlannedFault>
  /**
   * Null when there is nothing to strike: the process is gone, it is so already. At a boundary,
   * `event` is the step that passes it, and the decision about that step is changed here.
   */
  strike(view: FaultView, fault: PlannedFault, event: BoundaryEvent | null): Strike | null
}

/**
 * A consumer slot passing one of `boundaries` for the first to eighth time; few runs pass one more
 * than twice. Of those at commands, one in three is aimed at what a command is.
 */
export function atBoundary({ consumers }: Scope, boundaries: readonly Boundary[]): fc.Arbitrary<Trigger> {
  const consumer = fc.nat({ max: consumers - 1 })
  const nth = fc.oneof(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 8 }))
  const aim = oneIn(3, fc.record({ pick: fc.nat({ max: picks - 1 }) }))
  return fc.record({ at: fc.constantFrom(...boundaries), consumer, nth, aim }).map(({ aim: of, ...when }) => {
    if (of === undefined || !commandBoundaries.includes(when.at)) return when
    // Few runs send one command about one key more than twice.
    return { ...when, consumer: 0, nth: when.nth > 2 ? 1 : when.nth, of }
  })
}

export function atTime({ spanMs }: Scope): fc.Arbitrary<Trigger> {
  return fc.record({ at: fc.constant('time' as const), ms: fc.nat({ max: spanMs }) })
}

/** Short, middling and long: bugs live on all three scales. In milliseconds. */
export function durationMs(): fc.Arbitrary<number> {
  return fc.oneof(
    { withCrossShrink: true },
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 51, max: 2000 }),
    fc.integer({ min: 2001, max: 30_000 }),
  )
}

/**
 * The process that a fault is aimed at: who passes the boundary, or who lives in the slot; null
 * when it is gone.
 */
export function victim(view: FaultView, fault: PlannedFault, event: BoundaryEvent | null): ProcessRef | null {
  const process = event === null ? view.running(slotOf(fault)) : event.process
  return process === null || process.state === 'ended' ? null : process
}

/** A link to Redis stands for one to the store that a layer has in its place. */
export function farEnd({ stores }: FaultView, fault: PlannedFault): string {
  const node = String(fault.node)
  return node === 'redis' && !stores.includes('redis') ? stores[0]! : node
}

/**
 * The nodes that the name of a store (each machine of its deployment), `sink` or `broker` stands
 * for.
 */
export function nodesOf(view: FaultView, node: string): readonly string[] {
  return storeOf(view, node)?.machines.map(({ name }) => name) ?? [node]
}

/** What commands are sent to, as a sentence has it. */
export const storeWords = ({ otherStores }: FaultView): string => (otherStores.size === 0 ? 'Redis' : 'its store')

/** Undefined where the run has no such store. */
export function storeOf({ store, otherStores }: FaultView, kind: string): StoreView | undefined {
  return kind === 'redis' ? store : otherStores.get(kind)
}
