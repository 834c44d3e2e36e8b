import { assert } from 'virtual-node/assert'
import type { Outcome } from '../contract/api/message.ts'
import type { Boundary } from '../contract/api/plan.ts'
import type { Step } from '../contract/results/step.ts'
import { exactText } from '../contract/results/time-text.ts'
import type { Decision } from './boundary-event.ts'
import type { Answer, Broker, Consumers, Delivery } from './broker.ts'
import { andThen, caught, type MaybePromise } from './maybe-promise.ts'
import type { ConsumerReports, RunPorts } from './ports.ts'
import type { ProcessRef } from './process-ref.ts'
import { taking } from './steps.ts'

/** The members of the run that the slots use. */
export interface SlotsRun<P extends ProcessRef>
  extends Pick<
    RunPorts<P>,
    'recorder' | 'after' | 'nowUs' | 'chance' | 'driver' | 'links' | 'failed' | 'plan' | 'steps'
  > {
  readonly broker: Broker<P>
  readonly timesCalls: boolean
  readonly declaredRetry: string | undefined
  pass(process: P, boundary: Boundary, label: null, sinceUs: number): MaybePromise<Decision>
  isPoisonous(key: string, how: 'kills'): boolean
}

/** One consumer slot, with at most one process at a time. */
interface Slot<P extends ProcessRef> {
  readonly process: P
  readonly startedUs: number
  created: boolean
  /** Stops the supervisor's timer for the start of the process. */
  readonly unwatch: () => void
  /** The process died, and a supervisor will replace it. */
  died: boolean
  /** Only for serial consumers: true while a delivery is about to be passed to the handler. */
  taking: boolean
  /**
   * Deliveries that arrived before the layer was created, or while a serial consumer was handling
   * another.
   */
  waiting: Delivery<P>[]
  /** Unanswered deliveries, oldest first, with the time at which each was received. */
  readonly handling: Map<Delivery<P>, number>
}

/** How long after the death of a process a supervisor restarts it. */
const restartUs = 1_000_000
/**
 * The maximum pause before a restart. The pause grows while successive processes die before they
 * have created their layer, as with real supervisors.
 */
const longestRestartUs = 64_000_000
const promptRestarts = 3

function pauseUs(stillborn: number): number {
  return Math.min(restartUs * 2 ** Math.max(0, stillborn - promptRestarts), longestRestartUs)
}
/** How long a supervisor waits for a process to start, as in a usual startup probe. */
const usualStartMs = 30_000
/** A process that takes longer to start counts as late: it is waiting for something. */
const promptStartUs = 1_000_000
/** The broker notices a closed connection after this long. */
const disconnectUs = 1000

/**
 * The consumer slots: start processes, deliver messages to them, receive their answers, and replace
 * them when they end.
 */
export class ConsumerSlots<P extends ProcessRef> implements Consumers<P>, ConsumerReports<P> {
  readonly #slots: (Slot<P> | undefined)[] = []
  readonly #incarnations: number[] = []
  /** The number of processes that have created their layer. */
  createdCount = 0
  /** The first error of a layer's `create`. */
  createError: string | null = null
  /** True if a supervisor ended a process because its `create` had not settled. */
  neverSettled = false
  /** When a process last created its layer late (`promptStartUs`); 0 if no process was late. */
  lateStartUs = 0
  /** The first answer of a handler that is not a valid outcome. */
  contractError: string | null = null
  /** By slot: the number of successive processes that ended before they had created their layer. */
  readonly #stillborn: number[] = []

  constructor(private readonly run: SlotsRun<P>) {}

  /** Starts a process in an empty slot, as the first or the next incarnation. */
  start(slot: number): P {
    assert(this.running(slot) === null, 'a process starts in an empty slot only')
    const incarnation = (this.#incarnations[slot] ?? 0) + 1
    this.#incarnations[slot] = incarnation
    const name = nameOfConsumer(slot, incarnation)
    const process = this.run.driver.start(slot, name, incarnation)
    assert(process.slot === slot && process.name === name, 'a host starts the process that it was asked for')
    const unwatch = this.run.after(1000 * this.#startsWithinMs, () => this.#givenUp(process))
    const startedUs = this.run.nowUs()
    const state = { created: false, died: false, taking: false, waiting: [], handling: new Map() }
    this.#slots[slot] = { process, startedUs, unwatch, ...state }
    this.run.recorder.fact({ type: 'process-started', process: name })
    this.run.broker.dispatch()
    return process
  }

  get #startsWithinMs(): number {
    return this.run.plan.startsWithinMs ?? usualStartMs
  }

  /**
   * Ends a process that takes too long to start. A supervisor cannot distinguish a process that
   * waits for its store from a process that hangs.
   */
  #givenUp(process: P): void {
    const error = `its \`create\` had not settled after ${exactText(this.#startsWithinMs)}, and its supervisor ended it`
    this.neverSettled = true
    this.#died(process, error)
  }

  /**
   * True if a process may still create its layer: it is late (`promptStartUs`), it is alive or will
   * be restarted, and fewer than `promptRestarts` successive processes in its slot have ended
   * before they had created their layer.
   */
  get isStarting(): boolean {
    return this.#slots.some((place, slot) => {
      if (place === undefined || place.created || (place.process.state === 'ended' && !place.died)) return false
      return this.#isLate(place) && (this.#stillborn[slot] ?? 0) < promptRestarts
    })
  }

  /** True if no process has created its layer, although each slot was restarted several times. */
  get neverStarts(): boolean {
    const { length } = this.#stillborn
    return this.createdCount === 0 && length > 0 && this.#stillborn.every((times = 0) => times > promptRestarts)
  }

  #isLate({ startedUs }: Slot<P>): boolean {
    return this.run.nowUs() - startedUs > promptStartUs
  }

  /** The running or paused process in the slot, or a new one if the slot is empty. */
  restart(slot: number): P {
    return this.running(slot) ?? this.start(slot)
  }

  connected(): readonly P[] {
    const connected: P[] = []
    for (const place of this.#slots)
      if (place !== undefined && place.process.state !== 'ended') connected.push(place.process)
    return connected
  }

  running(slot: number): P | null {
    const process = this.#slots[slot]?.process
    return process === undefined || process.state === 'ended' ? null : process
  }

  handles(process: P): boolean {
    const place = this.#slots[process.slot]
    return place?.process === process && place.handling.size + place.waiting.length > 0
  }

  /** True if a process that has not ended is handling a delivery. */
  get busy(): boolean {
    return this.#slots.some(
      (place) => place !== undefined && place.process.state !== 'ended' && place.handling.size > 0,
    )
  }

  /**
   * Unanswered deliveries of processes that have not ended, with the times at which their handlers
   * were called.
   */
  get unanswered(): { readonly process: P; readonly deliveryId: number; readonly receivedUs: number }[] {
    return this.#slots.flatMap((place) => {
      if (place === undefined || place.process.state === 'ended') return []
      const { process, handling } = place
      return [...handling].map(([{ id: deliveryId }, receivedUs]) => ({ process, deliveryId, receivedUs }))
    })
  }

  deliveryOf(process: P, key: string): number | null {
    let id: number | null = null
    for (const delivery of this.#slots[process.slot]?.handling.keys() ?? []) {
      if (delivery.entry.message.key !== key) continue
      if (id !== null) return null
      id = delivery.id
    }
    return id
  }

  /**
   * When the process received the oldest delivery that it is handling; the current time if it
   * handles none.
   */
  handlingSinceUs(process: P): number {
    const place = this.#slots[process.slot]
    if (place?.process === process) for (const receivedUs of place.handling.values()) return receivedUs
    return this.run.nowUs()
  }

  /** The only delivery that the process is handling; null if there are several, or none. */
  onlyDelivery({ slot }: P): number | null {
    const handling = this.#slots[slot]?.handling
    if (handling?.size !== 1) return null
    for (const { id } of handling.keys()) return id
    return null
  }

  hand(delivery: Delivery<P>): void {
    const { process } = delivery
    const place = this.#slots[process.slot]!
    assert(place.process === process, 'the broker hands deliveries to processes that are connected')
    this.run.links.carry(process.slot, 'to-process', () => {
      if (process.state === 'ended') return
      this.run.driver.inTurn(process, () => {
        if (place.created && !this.#isTaken(place)) return this.#settled(this.#handle(place, delivery))
        place.waiting.push(delivery)
      })
    })
  }

  /** True for a serial consumer that is handling a delivery, or about to. */
  #isTaken({ handling, taking }: Slot<P>): boolean {
    return this.run.plan.serial === true && (taking || handling.size > 0)
  }

  #handle(place: Slot<P>, delivery: Delivery<P>): MaybePromise<void> {
    const { process } = place
    assert(place.created, 'a delivery is handled by a layer that was created')
    assert(!place.handling.has(delivery), 'a delivery is handled once')
    const receivedUs = this.run.nowUs()
    place.taking = true
    return andThen(this.run.pass(process, 'delivery-received', null, receivedUs), ({ verdict }) => {
      place.taking = false
      if (verdict !== 'pass' || process.state === 'ended') return
      if (this.run.isPoisonous(delivery.entry.message.key, 'kills')) this.#killSoon(process)
      assert(!this.#isTaken(place), 'a serial consumer handles one delivery at a time')
      place.handling.set(delivery, receivedUs)
      this.run.driver.deliver(process, delivery)
    })
  }

  /**
   * Simulates lack of memory, or a bug that this payload triggers: the process dies at a random
   * point of the handling.
   */
  #killSoon(process: P): void {
    const afterUs = this.run.chance('poison', 'kills after', 1000) * (this.run.plan.effectMs + 5)
    this.run.after(afterUs, () => this.#died(process, 'Error: killed by a poisonous message'))
  }

  created(process: P): void {
    this.#reported(
      () => ({ kind: 'created', process: process.name }),
      () => this.#created(process),
    )
  }

  #created(process: P): void {
    const place = this.#slots[process.slot]
    this.createdCount++
    if (place?.process !== process) return
    assert(!place.created, 'a process creates its layer once')
    place.created = true
    place.unwatch()
    if (this.#isLate(place)) this.lateStartUs = this.run.nowUs()
    this.#stillborn[process.slot] = 0
    this.#takeWaiting(place)
  }

  #takeWaiting(place: Slot<P>): void {
    while (place.waiting.length > 0 && !this.#isTaken(place)) this.#settled(this.#handle(place, place.waiting.shift()!))
  }

  createFailed(process: P, error: string): void {
    this.#reported(
      () => ({ kind: 'create-failed', process: process.name }),
      () => {
        if (process.state === 'ended') return
        this.createError ??= error
        this.#died(process, error)
      },
    )
  }

  answered(process: P, delivery: Delivery<P>, answer: Answer): void {
    const how = () => ('error' in answer ? 'threw' : answer.outcome.status)
    this.#reported(
      () => ({ kind: 'answered', process: process.name, key: delivery.entry.message.key, how: how() }),
      () => this.#answered(process, delivery, answer),
    )
  }

  #recorded(outcome: Outcome): Outcome {
    if (outcome.status !== 'retry' || outcome.reason === this.run.declaredRetry) return outcome
    const { reason: _, ...rest } = outcome
    return rest
  }

  #answered(process: P, delivery: Delivery<P>, answer: Answer): MaybePromise<unknown> {
    const place = this.#slots[process.slot]
    if (process.state === 'ended' || place?.process !== process) return
    const sinceUs = place.handling.get(delivery)
    assert(sinceUs !== undefined, 'a delivery is answered once, by the process that handles it')
    place.handling.delete(delivery)
    const { recorder } = this.run
    const deliveryId = delivery.id
    if ('error' in answer && answer.notAnOutcome) this.contractError ??= answer.error
    const by = { deliveryId, process: process.name, ...(this.run.timesCalls ? { receivedUs: sinceUs } : {}) }
    if ('error' in answer) recorder.fact({ type: 'threw', ...by, error: answer.error })
    else recorder.fact({ type: 'answered', ...by, outcome: this.#recorded(answer.outcome) })
    const passed = andThen(this.run.pass(process, 'answered', null, sinceUs), ({ verdict }) => {
      if (verdict === 'drop') recorder.fact({ type: 'acknowledgement-lost', deliveryId })
      if (verdict !== 'pass') return
      this.run.driver.whenRunning(process, () =>
        this.run.links.carry(process.slot, 'to-node', () => {
          this.run.broker.answer(delivery, answer)
          return this.#settled(this.run.pass(process, 'acknowledged', null, sinceUs))
        }),
      )
    })
    this.run.broker.freed()
    if (this.run.plan.serial !== true) return passed
    if (place.waiting.length > 0)
      this.run.after(0, () => this.run.driver.inTurn(process, () => this.#takeWaiting(place)))
    return passed
  }

  #reported(step: () => Step, work: () => MaybePromise<unknown>): void {
    this.#settled(taking(this.run.steps, step, work))
  }

  #settled(work: MaybePromise<unknown>): MaybePromise<void> {
    return caught(work, this.run.failed)
  }

  /** Called when a fault kills the process. */
  crash(process: P): void {
    this.#end(process, 'crashed')
  }

  died(process: P, error: string): void {
    this.#reported(
      () => ({ kind: 'died', process: process.name }),
      () => this.#died(process, error),
    )
  }

  #died(process: P, error: string): void {
    if (process.state === 'ended') return
    const { slot } = process
    const place = this.#slots[slot]
    if (place !== undefined) place.died = true
    const stillborn = place?.created ? 0 : (this.#stillborn[slot] ?? 0) + 1
    this.#stillborn[slot] = stillborn
    this.#end(process, 'died', error)
    this.run.after(pauseUs(stillborn), () => void this.restart(slot))
  }

  #end(process: P, how: 'crashed' | 'died', error?: string): void {
    if (process.state === 'ended') return
    this.#slots[process.slot]?.unwatch()
    this.run.driver.kill(process)
    assert(!this.connected().includes(process), 'a process that was killed has ended')
    const text = error === undefined ? {} : { error }
    this.run.recorder.fact({ type: 'process-ended', process: process.name, how, ...text })
    this.run.after(disconnectUs, () => this.run.broker.disconnected(process))
  }

  pause(process: P): void {
    assert(process.state === 'running', 'only a process that runs is paused')
    this.run.driver.pause(process)
    this.run.recorder.fact({ type: 'process-paused', process: process.name })
  }

  resume(process: P): void {
    if (process.state !== 'paused') return
    this.run.recorder.fact({ type: 'process-resumed', process: process.name })
    this.run.driver.resume(process)
  }
}

/** `consumer-3` is the first process in slot 2, and `consumer-3.2` the second one. */
export function nameOfConsumer(slot: number, incarnation: number): string {
  return incarnation === 1 ? `consumer-${slot + 1}` : `consumer-${slot + 1}.${incarnation}`
}
