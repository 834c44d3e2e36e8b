/** The consumer processes of one run: started, handed deliveries, heard, ended. Some are started ahead, as successors. */
import { canonicalJson } from '../contract/json.ts'
import type { Outcome } from '../contract/message.ts'
import type { Boundary } from '../contract/plan.ts'
import type { Answer, Broker, Delivery as BrokerDelivery } from '../run/broker.ts'
import type { BrokerLink } from './broker-link.ts'
import { type ClockShift, fakedProcess, findLibfaketime, type MachineClock } from './clocks.ts'
import { ConsumerProcess, type Program } from './consumer-process.ts'
import { LiveProblem } from './problem.ts'
import type { FromConsumer, ToConsumer } from './protocol.ts'
import type { LiveRecorder } from './recorder.ts'
import type { LiveTimers } from './timers.ts'
import type { Workplace } from './workplace.ts'

type Delivery = BrokerDelivery<ConsumerProcess>

/** What the run does about what its processes pass. */
export interface PoolOwner {
  readonly recorder: LiveRecorder
  readonly timers: LiveTimers
  readonly workplace: Workplace
  readonly program: Program
  readonly broker: Broker<ConsumerProcess>
  brokerLink(slot: number): BrokerLink
  /** What a process in the slot is told to be. */
  orderFor(slot: number, name: string): Extract<ToConsumer, { type: 'create' }>
  /** Whether the clock of the slot's machine will be shifted. */
  clockOf(slot: number): MachineClock | null
  /** False where it goes no further. */
  pass(process: ConsumerProcess, boundary: Boundary, label: string | null): Promise<boolean>
  gate(process: ConsumerProcess, message: Extract<FromConsumer, { type: 'gate' }>): Promise<void>
  effectAnswered(process: ConsumerProcess, message: Extract<FromConsumer, { type: 'effect-answered' }>): void
  redisClosed(process: ConsumerProcess): void
  limit(ms: number): void
  killsWhoHandles(key: string): boolean
  killSoon(process: ConsumerProcess): void
  failed(error: unknown): void
}

interface Place {
  readonly process: ConsumerProcess
  /** Deliveries that have not been answered, oldest first, and when each was received. */
  readonly handling: Map<Delivery, number>
  created: boolean
  /** What came before it was created; gates of it open in order. */
  readonly waiting: Delivery[]
}

/** As whoever runs consumers in earnest has them restarted. */
const restartMs = 1_000

export class ConsumerPool {
  readonly #places: (Place | undefined)[] = []
  readonly #incarnations: number[] = []
  readonly #spares: ConsumerProcess[][] = []
  readonly #follows = new WeakMap<ConsumerProcess, (shift: ClockShift) => void>()
  readonly #ending: Promise<void>[] = []
  #spared = 0
  /** The first error that a `create` failed with, while none had succeeded. */
  failure: string | null = null
  #created = 0
  #readyWanted = 0
  #tellReady: () => void = () => {}

  constructor(private readonly owner: PoolOwner) {}

  /** Starts a process that loads the adapter and waits. */
  spare(slot: number): ConsumerProcess {
    const { workplace, program } = this.owner
    const library = this.owner.clockOf(slot) === null ? null : findLibfaketime()
    const faked = library === null ? null : fakedProcess(library, workplace.folder, `${slot}-${++this.#spared}`)
    const process = new ConsumerProcess(program, slot, { ...workplace.env, ...faked?.env }, workplace.started)
    this.#follows.set(process, faked?.follow ?? ((shift) => process.send({ type: 'clock', ...shift })))
    ;(this.#spares[slot] ??= []).push(process)
    return process
  }

  /** Resolves when so many processes can be handed messages, or one cannot be created. */
  ready(count: number): Promise<void> {
    this.#readyWanted = count
    return new Promise((resolve) => (this.#tellReady = resolve))
  }

  /** A process takes its place in an empty slot, as the first or the next incarnation. */
  start(slot: number): ConsumerProcess {
    const incarnation = (this.#incarnations[slot] ?? 0) + 1
    this.#incarnations[slot] = incarnation
    if ((this.#spares[slot] ?? []).length === 0) this.spare(slot)
    const process = this.#spares[slot]!.shift()!
    process.name = incarnation === 1 ? `consumer-${slot + 1}` : `consumer-${slot + 1}.${incarnation}`
    const place: Place = { process, handling: new Map(), created: false, waiting: [] }
    this.#places[slot] = place
    this.owner.recorder.fact({ type: 'process-started', process: process.name })
    process.attach({
      heard: (message) => void this.#heard(place, message).catch((error) => this.owner.failed(error)),
      printed: (stream, text) => this.owner.recorder.trace({ type: 'log', process: process.name, stream, text }),
      exited: (how) => this.died(process, how),
    })
    void process.loaded.then((error) => {
      if (error !== null) return this.#createFailed(process, error)
      process.send(this.owner.orderFor(slot, process.name))
      this.owner.clockOf(slot)?.follow(this.#follows.get(process)!)
    })
    this.owner.broker.dispatch()
    return process
  }

  connected(): ConsumerProcess[] {
    return this.#places.flatMap((place) => (place && place.process.state !== 'ended' ? [place.process] : []))
  }

  running(slot: number): ConsumerProcess | null {
    const process = this.#places[slot]?.process
    return process === undefined || process.state === 'ended' ? null : process
  }

  get busy(): boolean {
    return this.#places.some((place) => place && place.process.state !== 'ended' && place.handling.size > 0)
  }

  /** The delivery that the process handles for the key, where it is just one. */
  deliveryOf(process: ConsumerProcess, key: string): number | null {
    const open = [...(this.#placeOf(process)?.handling.keys() ?? [])].filter(({ entry }) => entry.message.key === key)
    return open.length === 1 ? open[0]!.id : null
  }

  /** How long it has been handling its oldest delivery. */
  ageMs(process: ConsumerProcess): number {
    const [oldest] = this.#placeOf(process)?.handling.values() ?? []
    return oldest === undefined ? 0 : this.owner.timers.nowMs() - oldest
  }

  #placeOf(process: ConsumerProcess): Place | undefined {
    const place = this.#places[process.slot]
    return place?.process === process ? place : undefined
  }

  hand(delivery: Delivery): void {
    const place = this.#placeOf(delivery.process)
    if (place === undefined) return
    this.owner.brokerLink(delivery.process.slot).carry('to-process', () => {
      if (place.created) void this.#handle(place, delivery).catch((error) => this.owner.failed(error))
      else place.waiting.push(delivery)
    })
  }

  async #handle(place: Place, delivery: Delivery): Promise<void> {
    const { process } = place
    if (process.state === 'ended') return
    place.handling.set(delivery, this.owner.timers.nowMs())
    if (!(await this.owner.pass(process, 'delivery-received', null))) return
    const { message, fingerprint } = delivery.entry
    if (this.owner.killsWhoHandles(message.key)) this.owner.killSoon(process)
    process.send({
      type: 'deliver',
      deliveryId: delivery.id,
      message: { ...message, payload: JSON.parse(fingerprint) },
    })
  }

  async #heard(place: Place, message: FromConsumer): Promise<void> {
    const { process } = place
    const { recorder, timers } = this.owner
    if (message.type === 'created') this.#isCreated(place)
    else if (message.type === 'create-failed') this.#createFailed(process, message.error)
    else if (message.type === 'gate') await this.owner.gate(process, message)
    else if (message.type === 'answered') await this.#answered(place, message.deliveryId, { outcome: message.outcome })
    else if (message.type === 'threw') await this.#answered(place, message.deliveryId, { error: message.error })
    else if (message.type === 'effect-answered') this.owner.effectAnswered(process, message)
    else if (message.type === 'command')
      recorder.trace({ type: 'command', process: process.name, command: message.command, reply: message.reply })
    else if (message.type === 'redis-closed') this.owner.redisClosed(process)
    else if (message.type === 'limit') this.owner.limit(message.ms)
    else if (message.type === 'outside-prefix')
      this.owner.failed(
        new LiveProblem(
          'the layer',
          `its command ${message.command} is not known to stay under the key prefix, and was not sent; take a server of its own (--with local)`,
        ),
      )
    // A timer that was due while the process was stopped is late for that reason.
    else if (message.type === 'late' && timers.nowMs() - process.resumedMs > message.ms + 100)
      timers.late(message.ms, process.name)
  }

  #isCreated(place: Place): void {
    place.created = true
    this.#created++
    if (this.#created === this.#readyWanted) this.#tellReady()
    for (const delivery of place.waiting.splice(0))
      void this.#handle(place, delivery).catch((error) => this.owner.failed(error))
  }

  #createFailed(process: ConsumerProcess, error: string): void {
    if (process.state === 'ended') return
    if (this.#created === 0) this.failure ??= error
    if (this.failure !== null) this.#tellReady()
    this.died(process, error)
  }

  async #answered(place: Place, deliveryId: number, answer: Answer): Promise<void> {
    const { process } = place
    const { recorder } = this.owner
    const delivery = [...place.handling.keys()].find(({ id }) => id === deliveryId)
    if (delivery === undefined) return
    place.handling.delete(delivery)
    const who = { deliveryId, process: process.name }
    if ('error' in answer) recorder.fact({ type: 'threw', ...who, error: answer.error })
    else recorder.fact({ type: 'answered', ...who, outcome: plain(answer.outcome) })
    if (!(await this.owner.pass(process, 'answered', null))) {
      if (process.state !== 'ended') recorder.fact({ type: 'acknowledgement-lost', deliveryId })
      return
    }
    this.owner.brokerLink(process.slot).carry('to-node', () => {
      this.owner.broker.answer(delivery, answer)
      void this.owner.pass(process, 'acknowledged', null).catch((error) => this.owner.failed(error))
    })
  }

  /** By a fault. */
  crash(process: ConsumerProcess): void {
    if (process.state === 'ended') return
    this.#ending.push(process.kill())
    this.owner.recorder.fact({ type: 'process-ended', process: process.name, how: 'crashed' })
    this.owner.timers.after(1, () => this.owner.broker.disconnected(process))
  }

  /** By itself, or by a poisonous message. */
  died(process: ConsumerProcess, error: string): void {
    if (process.state === 'ended') return
    this.#ending.push(process.kill())
    this.owner.recorder.fact({ type: 'process-ended', process: process.name, how: 'died', error })
    this.owner.timers.after(1, () => this.owner.broker.disconnected(process))
    this.owner.timers.after(restartMs, () => void this.restart(process.slot))
  }

  restart(slot: number): ConsumerProcess {
    return this.running(slot) ?? this.start(slot)
  }

  async close(): Promise<void> {
    const spares = this.#spares.flatMap((some) => some ?? [])
    await Promise.all([...this.#ending, ...[...this.connected(), ...spares].map((process) => process.kill())])
  }
}

/** As facts have it: members in one order. */
const plain = (outcome: Outcome): Outcome => JSON.parse(canonicalJson(outcome))
