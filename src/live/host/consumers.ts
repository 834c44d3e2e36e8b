/**
 * The consumers of a live run: operating-system processes, some of which are started in advance as
 * successors.
 */

import { assert } from 'virtual-node/assert'
import { canonicalJson } from '../../contract/api/json.ts'
import type { Outcome } from '../../contract/api/message.ts'
import { isUpgraded } from '../../contract/api/upgrade.ts'
import type { Delivery } from '../../run/broker.ts'
import { nameOfConsumer } from '../../run/consumer-slots.ts'
import type { ConsumerDriver, ConsumerReports } from '../../run/ports.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import { type ClockShift, fakedProcess, findLibfaketime, type ShiftedClock } from './clocks.ts'
import { ConsumerProcess, type Program } from './consumer-process.ts'
import type { FromConsumer, ProcessTime, ToConsumer } from './protocol.ts'
import type { LiveRecorder } from './recorder.ts'
import type { LiveTimers } from './timers.ts'

export interface LiveConsumerSetting {
  readonly recorder: LiveRecorder
  readonly timers: LiveTimers
  readonly directory: RunDirectory
  readonly program: Program
  /** Returns the order that turns the process of that name into the slot's consumer. */
  orderFor(slot: number, name: string): Extract<ToConsumer, { type: 'create' }>
  /** Returns the clock of the slot's machine; null if no fault shifts it. */
  clockOf(slot: number): ShiftedClock | null
  /**
   * Returns the time that the clocks of the slot's processes show; null if the processes use the
   * machine's clocks.
   */
  readonly timeOf: ((slot: number) => ProcessTime) | null
  readonly reports: () => ConsumerReports<ConsumerProcess> & {
    readonly createdCount: number
    readonly createError: string | null
  }
  /** Handles messages of a process other than the answers of its handler. */
  heard(process: ConsumerProcess, message: FromConsumer): Promise<void>
  failed(error: unknown): void
}

export class LiveConsumers implements ConsumerDriver<ConsumerProcess> {
  readonly #spares: ConsumerProcess[][] = []
  /** The number of processes that each slot has started, including spare ones. */
  readonly #startedIn: number[] = []
  readonly #follows = new WeakMap<ConsumerProcess, (shift: ClockShift) => void>()
  readonly #deliveries = new Map<ConsumerProcess, Map<number, Delivery<ConsumerProcess>>>()
  readonly #ending: Promise<void>[] = []
  readonly #byName = new Map<string, ConsumerProcess>()
  #ready: { readonly wanted: number; readonly report: (error: string | null) => void } | null = null

  constructor(private readonly setting: LiveConsumerSetting) {}

  /**
   * Starts a process that loads the adapter and waits. The process is the slot's next incarnation.
   */
  spare(slot: number): void {
    const { directory, program, timeOf } = this.setting
    const incarnation = (this.#startedIn[slot] ?? 0) + 1
    this.#startedIn[slot] = incarnation
    const name = nameOfConsumer(slot, incarnation)
    const library = this.setting.clockOf(slot) === null || timeOf !== null ? null : findLibfaketime()
    const faked = library === null ? null : fakedProcess(library, directory.folder, name)
    const { adapter } = isUpgraded(name) ? (program.next ?? program) : program
    const files = { main: program.main, adapter }
    const process = new ConsumerProcess(files, name, slot, { ...directory.env, ...faked?.env }, directory.started)
    if (timeOf !== null) process.clocks = () => timeOf(slot)
    this.#follows.set(process, faked?.follow ?? ((shift) => process.send({ type: 'clock', ...shift })))
    const spares = this.#spares[slot] ?? []
    this.#spares[slot] = [...spares, process]
  }

  /** Resolves when every spare process has loaded its adapter or failed to load it. */
  async allLoaded(): Promise<void> {
    await Promise.all(this.#spares.flat().map(({ loaded }) => loaded))
  }

  /**
   * Resolves with null when the wanted number of processes accept messages, or with the error of
   * the first failed `create`.
   */
  ready(wanted: number): Promise<string | null> {
    return new Promise((report) => (this.#ready = { wanted, report }))
  }

  start(slot: number, name: string): ConsumerProcess {
    if ((this.#spares[slot] ?? []).length === 0) this.spare(slot)
    const process = this.#spares[slot]!.shift()!
    assert(process.name === name, `${process.name} was started early instead of ${name}`)
    this.#byName.set(name, process)
    this.#deliveries.set(process, new Map())
    process.attach({
      heard: (message) => void this.#heard(process, message).catch((error) => this.setting.failed(error)),
      printed: (stream, text) => this.setting.recorder.trace({ type: 'log', process: name, stream, text }),
      exited: (how) => this.setting.reports().died(process, how),
    })
    const loaded = process.loaded.then((error) => {
      if (error !== null) return this.#createFailed(process, error)
      if (process.state === 'ended') return
      process.send(this.setting.orderFor(slot, name))
      this.setting.clockOf(slot)?.follow(this.#follows.get(process)!)
    })
    loaded.catch((error) => this.setting.failed(error))
    return process
  }

  async #heard(process: ConsumerProcess, message: FromConsumer): Promise<void> {
    if (message.type === 'created') return this.#created(process)
    if (message.type === 'create-failed') return this.#createFailed(process, message.error)
    if (message.type !== 'answered' && message.type !== 'threw') return this.setting.heard(process, message)
    const deliveries = this.#deliveries.get(process)
    const delivery = deliveries?.get(message.deliveryId)
    if (delivery === undefined) return
    deliveries?.delete(message.deliveryId)
    const answer = message.type === 'threw' ? { error: message.error } : { outcome: plain(message.outcome) }
    this.setting.reports().answered(process, delivery, answer)
  }

  named(name: string): ConsumerProcess | null {
    return this.#byName.get(name) ?? null
  }

  /** The process that handles messages in the slot. */
  at(slot: number): ConsumerProcess | null {
    const live = [...this.#byName.values()].filter((one) => one.slot === slot && one.created)
    return live.find(({ state }) => state === 'running') ?? null
  }

  /** The names of the processes that have not created their layer yet. */
  get uncreated(): string[] {
    return [...this.#byName].flatMap(([name, { created, state }]) => (created || state === 'ended' ? [] : [name]))
  }

  #created(process: ConsumerProcess): void {
    process.created = true
    const reports = this.setting.reports()
    reports.created(process)
    if (reports.createdCount === this.#ready?.wanted) this.#ready.report(null)
  }

  #createFailed(process: ConsumerProcess, error: string): void {
    const reports = this.setting.reports()
    reports.createFailed(process, error)
    if (reports.createdCount === 0 && reports.createError !== null) this.#ready?.report(reports.createError)
  }

  /** Runs the work when the process is running, because a stopped process receives nothing. */
  inTurn(process: ConsumerProcess, work: () => void): void {
    process.whenRunning(work)
  }

  deliver(process: ConsumerProcess, delivery: Delivery<ConsumerProcess>): void {
    const { message, fingerprint } = delivery.entry
    this.#deliveries.get(process)?.set(delivery.id, delivery)
    process.send({
      type: 'deliver',
      deliveryId: delivery.id,
      message: { ...message, payload: JSON.parse(fingerprint) },
    })
  }

  /** Runs the work when the process is running, because a stopped process sends nothing. */
  whenRunning(process: ConsumerProcess, work: () => void): void {
    process.whenRunning(work)
  }

  kill(process: ConsumerProcess): void {
    this.#ending.push(process.kill())
    this.#deliveries.delete(process)
  }

  pause(process: ConsumerProcess): void {
    process.pause()
  }

  resume(process: ConsumerProcess): void {
    const { timeOf, timers } = this.setting
    process.resume(timeOf?.(process.slot).monotonicMs ?? timers.nowMs())
  }

  async close(running: readonly ConsumerProcess[]): Promise<void> {
    const spares = this.#spares.flatMap((some) => some ?? [])
    await Promise.all([...this.#ending, ...[...running, ...spares].map((process) => process.kill())])
  }
}

/** The outcome with its members in canonical order, as in facts. */
const plain = (outcome: Outcome): Outcome => JSON.parse(canonicalJson(outcome))
