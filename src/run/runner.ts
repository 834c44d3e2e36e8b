/**
 * One run, on any host: publishes the plan's messages, injects and heals its faults, keeps consumer
 * slots and what becomes of effects, and knows when everything is at rest. Time, chance, processes,
 * links, store and history are handed to it. The story of a run: deploy, work under faults, heal,
 * drain, rest.
 */

import { assert } from 'virtual-node/assert'
import { canonicalJson } from '../contract/api/json.ts'
import type { Boundary, PlannedMessage } from '../contract/api/plan.ts'
import { usualStores } from '../contract/api/store.ts'
import type { Heard } from '../contract/results/step.ts'
import type { Action, StoreAction } from './actions.ts'
import { type Armed, Boundaries } from './boundaries.ts'
import { type BoundaryEvent, type Decision, untouched } from './boundary-event.ts'
import type { Broker } from './broker.ts'
import { ConsumerSlots } from './consumer-slots.ts'
import { CrashPoints } from './crash-points.ts'
import { Effects } from './effects.ts'
import { FaultInjection } from './fault-injection.ts'
import type { FaultView } from './faults/fault.ts'
import type { Limits } from './limits.ts'
import { andThen, type MaybePromise } from './maybe-promise.ts'
import { Neighbours } from './neighbours.ts'
import { newBroker } from './partitioned-broker.ts'
import { Poisons } from './poisons.ts'
import type { RunPorts, StorePort } from './ports.ts'
import type { ProcessRef } from './process-ref.ts'
import { steppedPorts } from './stepped-ports.ts'
import { heardStep, passStep, taking } from './steps.ts'

/** Where a run is in its story. */
export type Phase = 'deploy' | 'work' | 'heal' | 'drain' | 'rest'

export interface RunRules {
  /** Of the plan's faults, those that the host can carry out. */
  readonly armed: readonly Armed[]
  /** The time limits that the layer sets itself, as they become known. */
  readonly limits: Limits
  /** How long the run goes on after everything came to rest, for what is still on its way. */
  readonly gracePeriodUs: number
  /**
   * How long it waits, then, for handlers that have not answered: a zombie's effect may still come.
   */
  readonly handlerTimeoutUs: number
  /**
   * How long it waits, then, where a layer has accepted a message: for as long as its relay may
   * take.
   */
  readonly relayTimeoutUs: number
  /** The broker gives up on no message sooner than this after it first handed it out. */
  readonly brokerGracePeriodMs: number
  /** Answers tell when their handler was called: the layer says within how long it answers. */
  readonly timesCalls?: boolean
  /**
   * The reason of a retry that the layer declares; what other retries are for is nobody's business,
   * and in no history.
   */
  readonly declaredRetry?: string | undefined
}

export class Runner<P extends ProcessRef> {
  readonly broker: Broker<P>
  readonly slots: ConsumerSlots<P>
  readonly effects: Effects<P>
  readonly injection: FaultInjection
  readonly crashPoints: CrashPoints
  readonly neighbours = new Neighbours()
  readonly #boundaries: Boundaries
  readonly #poisons = new Poisons()
  /** By key: when its first message was published, on the clock that consumers have. */
  readonly #producedAt = new Map<string, number>()
  /** When the plan's time began; null before. */
  #beganUs: number | null = null
  #unpublished: number
  #restUs: number | null = null
  private readonly ports: RunPorts<P>

  constructor(
    given: RunPorts<P>,
    private readonly rules: RunRules,
  ) {
    const ports = given.steps === undefined ? given : steppedPorts(given, given.steps)
    this.ports = ports
    const { plan, ledger, chance, store, otherStores, stores, clocks } = ports
    const pass = this.#pass.bind(this)
    const isPoisonous = (key: string, how: 'kills' | 'sink-fails') => this.#poisons.take(key, how)
    const deliveryOf = (process: P, key: string) => this.slots.deliveryOf(process, key)
    const carryOut = this.#carryOut.bind(this)
    this.#unpublished = plan.messages.length
    this.#boundaries = new Boundaries(
      rules.armed,
      plan.messages.map((message, at) => ({ key: nameOfMessage(message, at), messageId: idOfMessage(at) })),
    )
    this.crashPoints = new CrashPoints(plan.leaseMs)
    this.broker = newBroker<P>(
      { ...ports, gracePeriodMs: rules.brokerGracePeriodMs, chance: (what, n) => chance('broker', what, n) },
      {
        connected: () => this.slots.connected(),
        handles: (process) => this.slots.handles(process),
        hand: (delivery) => this.slots.hand(delivery),
      },
    )
    const { broker } = this
    const { timesCalls = false, declaredRetry } = rules
    this.slots = new ConsumerSlots({ ...ports, broker, pass, isPoisonous, timesCalls, declaredRetry })
    this.effects = new Effects({ ...ports, pass, isPoisonous, deliveryOf })
    const view: FaultView = {
      plan,
      sink: ledger.kind,
      broker,
      store,
      otherStores: otherStores ?? new Map(),
      stores: stores ?? usualStores,
      clocks,
      running: (slot) => this.slots.running(slot),
      poison: (key, how, times) => this.#poisons.add(key, how, times),
    }
    const { neighbours } = this
    this.injection = new FaultInjection({ ...ports, limits: rules.limits, view, carryOut, neighbours })
  }

  /** The deployment is done: consumers start. */
  startConsumers(): void {
    for (let slot = 0; slot < this.ports.plan.consumers; slot++) this.slots.start(slot)
  }

  /** The plan's time begins: messages are published and faults strike when they are due. */
  begin(): MaybePromise<void> {
    return taking(
      this.ports.steps,
      () => ({ kind: 'begin' }),
      () => this.#begin(),
    )
  }

  #begin(): void {
    const { plan } = this.ports
    assert(this.#beganUs === null, "the plan's time begins once")
    this.#beganUs = this.ports.nowUs()
    const firstMs = new Map<string, number>()
    const names = plan.messages.map(nameOfMessage)
    for (const [at, { publishAtMs }] of plan.messages.entries())
      firstMs.set(names[at]!, Math.min(publishAtMs, firstMs.get(names[at]!) ?? publishAtMs))
    for (const [at, { publishAtMs }] of plan.messages.entries())
      this.ports.after(publishAtMs * 1000, () => this.#publish(at, firstMs.get(names[at]!)!))
    this.injection.schedule(this.rules.armed)
  }

  /**
   * `producedAt` is the produced-at time of the key: every message with one key carries the same,
   * unless it is off.
   */
  #publish(at: number, firstPublishedMs: number): void {
    const planned = this.ports.plan.messages[at]!
    const { key, payload, keyless, stampOffMs: producedAtOffMs = 0 } = planned
    const name = nameOfMessage(planned, at)
    assert(this.#unpublished > 0, 'no more messages are published than the plan has')
    this.#unpublished--
    // Once for each key: on a host that keeps to a schedule, the two clocks drift apart.
    const rightProducedAt =
      this.#producedAt.get(name) ?? Math.round(this.ports.epochMs + this.#beganUs! / 1000 + firstPublishedMs)
    this.#producedAt.set(name, rightProducedAt)
    const producedAt = rightProducedAt + producedAtOffMs
    const message = { id: idOfMessage(at), key, payload, producedAt, ...(keyless && { keyless }) }
    this.broker.publish(message, canonicalJson(payload), false, producedAtOffMs)
  }

  /** Microseconds of the plan's time; 0 before it began. */
  get planUs(): number {
    return this.#beganUs === null ? 0 : this.ports.nowUs() - this.#beganUs
  }

  get phase(): Phase {
    if (this.#beganUs === null) return 'deploy'
    if (this.#unpublished > 0 || !this.injection.allStruck) return 'work'
    if (!this.injection.allHealed) return 'heal'
    return this.broker.restful ? 'rest' : 'drain'
  }

  /**
   * Everything is settled, healed and handled; what is still on its way got a little longer.
   * `busy`: the host is not done.
   */
  isOver(busy = false): boolean {
    if (this.phase !== 'rest') this.#restUs = null
    else this.#restUs ??= this.ports.nowUs()
    if (this.#restUs === null) return false
    const { handlerTimeoutUs, relayTimeoutUs, gracePeriodUs } = this.rules
    const nowUs = this.ports.nowUs()
    if (nowUs - this.#restUs <= (busy || this.slots.busy ? handlerTimeoutUs : gracePeriodUs)) return false
    if (!this.broker.hasAccepted) return true
    // A relay goes on only once its process has started, and a fault may still strike it at rest.
    const sinceUs = Math.max(this.#restUs, this.slots.lateStartUs, this.injection.changedUs)
    return !this.slots.isStarting && nowUs - sinceUs > relayTimeoutUs
  }

  /** All has healed, and yet no message has moved for so long: each waits for a handler. */
  isStuck(forUs: number): boolean {
    const nowUs = this.ports.nowUs()
    return (
      nowUs - this.broker.movedUs > forUs &&
      nowUs - this.injection.changedUs > forUs &&
      this.phase === 'drain' &&
      this.slots.busy &&
      !this.slots.isStarting
    )
  }

  /** It has been at rest for so long, and waits for handlers alone. */
  hasRested(forUs: number): boolean {
    return this.#restUs !== null && !this.broker.hasAccepted && this.ports.nowUs() - this.#restUs > forUs
  }

  /**
   * A step of the process passes a boundary; planned faults strike here. `sinceUs`: when the
   * delivery that it is about was received, where that is known; else the oldest that the process
   * is handling is taken. `redisKey`: the first that the command names, where `wantsKeys`.
   * `hungUp`: its connection was closed by the process.
   */
  pass(
    process: P,
    boundary: Boundary,
    label: string | null,
    sinceUs?: number,
    redisKey?: string,
    hungUp = false,
  ): MaybePromise<Decision> {
    const { steps } = this.ports
    if (steps === undefined || !this.isConsumer(process)) return this.#pass(process, boundary, label, sinceUs, redisKey)
    return steps.take(passStep(process, boundary, label, redisKey, hungUp), () =>
      this.#pass(process, boundary, label, sinceUs, redisKey),
    )
  }

  #pass(
    process: P,
    boundary: Boundary,
    label: string | null,
    sinceUs?: number,
    redisKey?: string,
  ): MaybePromise<Decision> {
    const { point, armed } = this.arrive(process, boundary, label, sinceUs, redisKey)
    if (armed.length === 0) return untouched
    const event = eventOf(process, boundary, label)
    return this.strikeAll(armed, point, event)
  }

  /**
   * Redis has answered what a client says on its own account before its commands, from when on it
   * sends them; or told it what others brought about; or its connection was refused, or has ended.
   * `connection`: which of the process's connections, from 1, as they were begun; what has closed
   * unheard before it does not count.
   */
  heard(process: P, what: Heard, connection: () => number, server: string | null = null): MaybePromise<void> {
    const { steps } = this.ports
    if (steps !== undefined && this.isConsumer(process))
      return steps.take(
        () => heardStep(process, what, connection(), server),
        () => {},
      )
  }

  /** Whether some fault is aimed at what a command is, or steps are told apart by it. */
  get wantsKeys(): boolean {
    return this.#boundaries.wantsKeys || this.ports.steps !== undefined
  }

  /**
   * Of a statement's values, many of which are drawn again in each run: the message's key that it
   * is about, where it names one.
   */
  keyIn(values: string | undefined): string | undefined {
    return values === undefined ? undefined : (this.#boundaries.keyIn(values) ?? undefined)
  }

  /**
   * Counts the step; answers the faults that strike at it, usually none. A process of no slot is
   * not counted.
   */
  arrive(
    process: P,
    boundary: Boundary,
    label: string | null,
    sinceUs?: number,
    redisKey?: string,
  ): { readonly point: string | null; readonly armed: readonly Armed[] } {
    if (!this.isConsumer(process)) return nothing
    const { slot } = process
    const command = label === null ? null : { label, redisKey }
    if (process.state === 'ended') return { point: null, armed: this.#boundaries.pass(slot, boundary, false, command) }
    const attempt = this.slots.onlyDelivery(process)
    this.neighbours.pass(process.name, attempt, boundary, label)
    const receivedUs = sinceUs ?? this.slots.handlingSinceUs(process)
    const ageUs = this.ports.nowUs() - receivedUs
    const { name, isNew } = this.crashPoints.pass(boundary, label, ageUs)
    return { point: name, armed: this.#boundaries.pass(slot, boundary, isNew, command, attempt) }
  }

  /** What strikes at the step, one after the other, and what that makes of it. */
  strikeAll(armed: readonly Armed[], point: string | null, event: BoundaryEvent): MaybePromise<Decision> {
    const [first, ...rest] = armed
    if (first === undefined) {
      if (event.process.state === 'ended' && event.verdict === 'pass' && ownSide.has(event.boundary))
        event.verdict = 'drop'
      return event
    }
    const { index, fault } = first
    return andThen(this.injection.strike(index, fault, event), (struck) => {
      if (struck && fault.kind === 'crash' && point !== null) this.crashPoints.struck.add(point)
      return this.strikeAll(rest, point, event)
    })
  }

  /**
   * False for the one-off process of a deployment: nothing of it is in the history, and no fault
   * strikes it.
   */
  isConsumer(process: P): boolean {
    return process.slot < this.ports.plan.consumers
  }

  #carryOut(action: Action, event: BoundaryEvent | null, fault: number): MaybePromise<boolean> {
    const { links, clocks } = this.ports
    switch (action.do) {
      case 'kill':
        this.slots.crash(action.process as P)
        return true
      case 'start':
        this.slots.restart(action.slot)
        return true
      case 'pause':
        this.slots.pause(action.process as P)
        return true
      case 'resume':
        this.slots.resume(action.process as P)
        return true
      case 'block':
      case 'unblock':
      case 'slow':
      case 'reset':
      case 'forget':
      case 'resolve-names':
        return links.carryOut(action, event, fault)
      case 'step-clock':
      case 'drift-clock':
      case 'freeze-clock':
        return clocks.carryOut(action)
      default:
        return this.#storeWith(action).carryOut(action)
    }
  }

  /** The store that the machine is of. */
  #storeWith(action: StoreAction): StorePort {
    const { store, otherStores } = this.ports
    const name = 'machine' in action ? action.machine : action.machines[0]!
    const others = [...(otherStores?.values() ?? [])]
    return others.find(({ machines }) => machines.some((machine) => machine.name === name)) ?? store
  }
}

/** A step that passes a boundary, before anything is decided about it. */
export function eventOf(process: ProcessRef, boundary: Boundary, label: string | null): BoundaryEvent {
  return { process, slot: process.slot, boundary, label, verdict: 'pass', error: null, slowUs: 0 }
}

const nothing = { point: null, armed: [] } as const

/**
 * Boundaries inside of the process: one that just ended goes no further; elsewhere things go on
 * without it.
 */
const ownSide: ReadonlySet<Boundary> = new Set([
  'delivery-received',
  'command-unsent',
  'reply-received',
  'effect-unsent',
  'effect-answered',
  'answered',
])

/** Its key; without one, its id. */
const nameOfMessage = ({ key, keyless }: PlannedMessage, at: number): string => (keyless ? idOfMessage(at) : key)

/** Of the plan's message of that number, from 0. */
const idOfMessage = (at: number): string => `message-${at + 1}`
