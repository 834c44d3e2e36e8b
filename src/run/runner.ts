/**
 * Plays one run, on any host: publishes the plan's messages, injects and heals its faults, manages
 * the consumer slots, follows effects, and detects when everything is at rest. Time, chance,
 * processes, links, store and history are ports. The phases of a run: deploy, work under faults,
 * heal, drain, rest.
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

/** The phase of a run. */
export type Phase = 'deploy' | 'work' | 'heal' | 'drain' | 'rest'

export interface RunRules {
  /** The faults of the plan that the host can carry out. Only these strike. */
  readonly armed: readonly Armed[]
  /** The time limits that the layer sets. The list grows during the run. */
  readonly limits: Limits
  /**
   * How long the run continues after everything has come to rest, for messages that are still in
   * flight.
   */
  readonly gracePeriodUs: number
  /**
   * How long the run at rest waits for handlers that have not answered, because a zombie may still
   * perform its effect.
   */
  readonly handlerTimeoutUs: number
  /**
   * How long the run at rest continues if a layer has answered `accepted`: the maximum time that
   * its relay may take.
   */
  readonly relayTimeoutUs: number
  /** The minimum time from the first delivery of a message until the broker gives up on it. */
  readonly brokerGracePeriodMs: number
  /**
   * True if each answer is recorded with the time of the call, because the layer declares how fast
   * it answers.
   */
  readonly timesCalls?: boolean
  /** The reason of a retry that the layer declares. Other retry reasons are not recorded. */
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
  /**
   * By key: when its first message is published, in milliseconds since the Unix epoch. This is the
   * produced-at time of the key.
   */
  readonly #producedAt = new Map<string, number>()
  /** When the plan's time began; null before that. */
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

  /** Starts the consumers; called when the deployment is done. */
  startConsumers(): void {
    for (let slot = 0; slot < this.ports.plan.consumers; slot++) this.slots.start(slot)
  }

  /** Begins the plan's time: messages are published and faults strike when they are due. */
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

  /** Every message of one key has the same `producedAt`, unless the plan sets `stampOffMs`. */
  #publish(at: number, firstPublishedMs: number): void {
    const planned = this.ports.plan.messages[at]!
    const { key, payload, keyless, stampOffMs: producedAtOffMs = 0 } = planned
    const name = nameOfMessage(planned, at)
    assert(this.#unpublished > 0, 'no more messages are published than the plan has')
    this.#unpublished--
    // This time is computed once for each key, because on a host that follows a schedule, `epochMs`
    // and the run's clock drift apart.
    const rightProducedAt =
      this.#producedAt.get(name) ?? Math.round(this.ports.epochMs + this.#beganUs! / 1000 + firstPublishedMs)
    this.#producedAt.set(name, rightProducedAt)
    const producedAt = rightProducedAt + producedAtOffMs
    const message = { id: idOfMessage(at), key, payload, producedAt, ...(keyless && { keyless }) }
    this.broker.publish(message, canonicalJson(payload), false, producedAtOffMs)
  }

  /** Microseconds of the plan's time; 0 before it begins. */
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
   * True if all messages are settled, all faults have healed and messages in flight had some extra
   * time: `handlerTimeoutUs` while a handler is running or the host has work (`busy`), otherwise
   * `gracePeriodUs`. If an answer was `accepted`, the layer's relay also had `relayTimeoutUs`.
   */
  isOver(busy = false): boolean {
    if (this.phase !== 'rest') this.#restUs = null
    else this.#restUs ??= this.ports.nowUs()
    if (this.#restUs === null) return false
    const { handlerTimeoutUs, relayTimeoutUs, gracePeriodUs } = this.rules
    const nowUs = this.ports.nowUs()
    if (nowUs - this.#restUs <= (busy || this.slots.busy ? handlerTimeoutUs : gracePeriodUs)) return false
    if (!this.broker.hasAccepted) return true
    // The relay of a layer continues only after its process has started, and a fault may still
    // strike the relay at rest.
    const sinceUs = Math.max(this.#restUs, this.slots.lateStartUs, this.injection.changedUs)
    return !this.slots.isStarting && nowUs - sinceUs > relayTimeoutUs
  }

  /**
   * True if all faults have healed and no message has moved for `forUs`, because the broker still
   * waits for handlers.
   */
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

  /** True if the run has been at rest for longer than `forUs`, and does not wait for a relay. */
  hasRested(forUs: number): boolean {
    return this.#restUs !== null && !this.broker.hasAccepted && this.ports.nowUs() - this.#restUs > forUs
  }

  /**
   * Called when a step of the process passes a boundary. Planned faults strike here. `sinceUs`:
   * when the delivery of the step was received; if absent, the oldest open delivery of the process
   * is assumed. `redisKey`: the first key of the command, if `wantsKeys`. `hungUp`: the process has
   * closed the connection.
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
   * Called when a client receives something other than a reply to its commands: the handshake reply
   * (after which it starts sending), a push message, or the refusal or end of its connection.
   * `connection`: the number of the connection within its process, from 1, in the order of opening.
   * Connections that closed before they received anything do not count.
   */
  heard(process: P, what: Heard, connection: () => number, server: string | null = null): MaybePromise<void> {
    const { steps } = this.ports
    if (steps !== undefined && this.isConsumer(process))
      return steps.take(
        () => heardStep(process, what, connection(), server),
        () => {},
      )
  }

  /** True if a fault is aimed at a command by its key, or if steps are identified by keys. */
  get wantsKeys(): boolean {
    return this.#boundaries.wantsKeys || this.ports.steps !== undefined
  }

  /**
   * The message key in the values of a statement, if there is one. The values themselves do not
   * identify the statement, because many of them are random and differ in each run.
   */
  keyIn(values: string | undefined): string | undefined {
    return values === undefined ? undefined : (this.#boundaries.keyIn(values) ?? undefined)
  }

  /**
   * Counts the step, and returns the faults that strike at it, usually none. Steps of processes
   * outside of the consumer slots are not counted.
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
    this.ports.passed?.(slot, boundary)
    if (process.state === 'ended') return { point: null, armed: this.#boundaries.pass(slot, boundary, false, command) }
    const attempt = this.slots.onlyDelivery(process)
    this.neighbours.pass(process.name, attempt, boundary, label)
    const receivedUs = sinceUs ?? this.slots.handlingSinceUs(process)
    const ageUs = this.ports.nowUs() - receivedUs
    const { name, isNew } = this.crashPoints.pass(boundary, label, ageUs)
    return { point: name, armed: this.#boundaries.pass(slot, boundary, isNew, command, attempt) }
  }

  /**
   * Lets the faults strike one after the other, and returns the resulting decision about the step.
   */
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
   * False for the one-off process of a deployment: it is not in the history, and no fault strikes
   * it.
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

  /** The store that the machine belongs to. */
  #storeWith(action: StoreAction): StorePort {
    const { store, otherStores } = this.ports
    const name = 'machine' in action ? action.machine : action.machines[0]!
    const others = [...(otherStores?.values() ?? [])]
    return others.find(({ machines }) => machines.some((machine) => machine.name === name)) ?? store
  }
}

/** A step that passes a boundary, before any decision about it. */
export function eventOf(process: ProcessRef, boundary: Boundary, label: string | null): BoundaryEvent {
  return { process, slot: process.slot, boundary, label, verdict: 'pass', error: null, slowUs: 0 }
}

const nothing = { point: null, armed: [] } as const

/**
 * Boundaries inside of the process. If the process has ended, a step at one of these boundaries is
 * dropped; at any other boundary, the step continues.
 */
const ownSide: ReadonlySet<Boundary> = new Set([
  'delivery-received',
  'command-unsent',
  'reply-received',
  'effect-unsent',
  'effect-answered',
  'answered',
])

/** The key of the message, or its id if it has no key. */
const nameOfMessage = ({ key, keyless }: PlannedMessage, at: number): string => (keyless ? idOfMessage(at) : key)

/** The id of the plan's message with the index `at`, from 0. */
const idOfMessage = (at: number): string => `message-${at + 1}`
