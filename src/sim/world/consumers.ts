import type { Handler, RedisAddress } from '../../contract/implementation.ts'
import type { Message, Outcome } from '../../contract/message.ts'
import type { Answer, Broker, Consumers as BrokerConsumers, Delivery as BrokerDelivery } from '../../run/broker.ts'
import { sinkClient } from '../../run/sink/sink-client.ts'
import { Pipe } from '../network/pipe.ts'
import type { LoadedImplementation } from '../runtime/load-implementation.ts'
import { type ProcessHost, VirtualProcess } from '../runtime/process.ts'
import type { Effects } from './effects.ts'
import { withoutMachine } from './without-machine.ts'
import type { World } from './world-state.ts'

type Delivery = BrokerDelivery<VirtualProcess>

/** One consumer slot: at most one process at a time lives in it. */
interface Slot {
  process: VirtualProcess
  handler: Handler | null
  /** Deliveries that came before `create` had settled. */
  waiting: Delivery[]
  /** Deliveries that have not been answered, oldest first, and when each was received. */
  handling: Map<Delivery, number>
}

/** The consumer processes: starting, handing them deliveries, carrying their answers back, ending. */
export class ConsumerPool implements BrokerConsumers<VirtualProcess> {
  readonly slots: (Slot | undefined)[] = []
  readonly #incarnations: number[] = []
  /** All that ever were. */
  readonly #processes: VirtualProcess[] = []
  #over = false
  /** How many of the processes' `create` have given a handler. */
  created = 0
  /** The first error that a `create` failed with. */
  #failure: unknown = null
  broker!: Broker<VirtualProcess>
  effects!: Effects

  constructor(
    private readonly world: World,
    private readonly host: ProcessHost,
    private readonly implementation: LoadedImplementation,
    private readonly redis: RedisAddress,
    private readonly fresh: boolean,
  ) {}

  /** Starts a process in an empty slot, as the first or the next incarnation. */
  start(slot: number): VirtualProcess {
    const incarnation = (this.#incarnations[slot] ?? 0) + 1
    this.#incarnations[slot] = incarnation
    const name = incarnation === 1 ? `consumer-${slot + 1}` : `consumer-${slot + 1}.${incarnation}`
    const process = new VirtualProcess(this.host, name, slot, incarnation, this.world.clock(slot))
    this.#processes.push(process)
    const place: Slot = { process, handler: null, waiting: [], handling: new Map() }
    this.slots[slot] = place
    this.world.recorder.fact({ type: 'process-started', process: name })
    process.schedule(0, () => this.#create(place))
    this.broker?.dispatch()
    return process
  }

  #create(place: Slot): void {
    const { process } = place
    const { leaseMs, retentionMs } = this.world.plan
    const sink = sinkClient(this.effects.callsOf(process))
    const adapter = this.implementation.instantiate(process.name, this.fresh)
    const context = { redis: this.redis, instanceId: process.name, leaseMs, retentionMs, sink }
    void new Promise<Handler>((resolve) => resolve(adapter.create(context))).then(
      (handler) => {
        if (typeof handler?.handle !== 'function')
          return this.#failed(process, new Error(`create of ${adapter.id} gave no object with a \`handle\` function`))
        this.created++
        place.handler = handler
        if (this.#over) return
        for (const delivery of place.waiting.splice(0)) this.#handle(place, delivery)
      },
      (error: unknown) => this.#failed(process, error),
    )
  }

  #failed(process: VirtualProcess, error: unknown): void {
    if (process.state === 'ended') return
    this.#failure ??= error
    this.host.died(process, error)
  }

  /** Why no process ever got through `create`; null where one did, and where none had the time to. */
  startupFailure(): string | null {
    if (this.created > 0) return null
    if (this.#failure !== null) return `\`create\` fails (${describe(this.#failure)}); it must resolve to { handle }`
    const tries = this.connected().some(({ state }) => state === 'running')
    return tries ? '`create` never settles; it must resolve to { handle }' : null
  }

  connected(): readonly VirtualProcess[] {
    const connected: VirtualProcess[] = []
    for (const place of this.slots)
      if (place !== undefined && place.process.state !== 'ended') connected.push(place.process)
    return connected
  }

  running(slot: number): VirtualProcess | null {
    const process = this.slots[slot]?.process
    return process === undefined || process.state === 'ended' ? null : process
  }

  get busy(): boolean {
    return this.slots.some((place) => place !== undefined && place.process.state !== 'ended' && place.handling.size > 0)
  }

  deliveryOf(process: VirtualProcess, key: string): number | null {
    let id: number | null = null
    for (const delivery of this.slots[process.slot]?.handling.keys() ?? []) {
      if (delivery.entry.message.key !== key) continue
      if (id !== null) return null
      id = delivery.id
    }
    return id
  }

  /** When the oldest delivery came in that the process is handling; now where it handles none. */
  handlingSinceUs(process: VirtualProcess): number {
    const place = this.slots[process.slot]
    if (place?.process === process) for (const receivedUs of place.handling.values()) return receivedUs
    return this.world.kernel.nowUs
  }

  hand(delivery: Delivery): void {
    const { process } = delivery
    const place = this.slots[process.slot]!
    this.#carry(process, 'toProcess', () => {
      if (process.state === 'ended') return
      this.world.kernel.turn(process, () => {
        if (place.handler === null) place.waiting.push(delivery)
        else this.#handle(place, delivery)
      })
    })
  }

  #handle(place: Slot, delivery: Delivery): void {
    const { process } = place
    const receivedUs = this.world.kernel.nowUs
    const passing = this.world.pass(process, 'delivery-received', null, receivedUs)
    if (passing.verdict !== 'pass' || process.state === 'ended') return
    if (this.world.isPoisonous(delivery.entry.message.key, 'kills')) this.#killSoon(process)
    place.handling.set(delivery, receivedUs)
    let answer: Promise<Outcome>
    try {
      answer = Promise.resolve(place.handler!.handle(received(delivery)))
    } catch (error) {
      answer = Promise.reject(error)
    }
    void answer.then(
      (outcome) => this.#answered(place, delivery, sentOutcome(outcome)),
      (error: unknown) => this.#answered(place, delivery, { error: describe(error) }),
    )
  }

  /** Out of memory, or a bug that this payload finds: somewhere in the middle of its handling. */
  #killSoon(process: VirtualProcess): void {
    const { kernel, plan } = this.world
    const afterUs = kernel.choices.stream('poison').choose('kills after', 1000) * (plan.effectMs + 5)
    kernel.schedule(afterUs, null, () => {
      if (process.state !== 'ended') this.host.died(process, new Error('killed by a poisonous message'))
    })
  }

  #answered(place: Slot, delivery: Delivery, answer: Answer): void {
    const { process } = place
    if (process.state === 'ended') return
    const sinceUs = place.handling.get(delivery)!
    place.handling.delete(delivery)
    const who = { deliveryId: delivery.id, process: process.name }
    if ('error' in answer) this.world.recorder.fact({ type: 'threw', ...who, error: answer.error })
    else this.world.recorder.fact({ type: 'answered', ...who, outcome: answer.outcome })
    const passing = this.world.pass(process, 'answered', null, sinceUs)
    if (passing.verdict === 'drop') this.world.recorder.fact({ type: 'acknowledgement-lost', deliveryId: delivery.id })
    if (passing.verdict !== 'pass') return
    process.whenRunning(() => this.#carry(process, 'toNode', () => this.#acknowledged(delivery, answer, sinceUs)))
  }

  #acknowledged(delivery: Delivery, answer: Answer, sinceUs: number): void {
    this.broker.answer(delivery, answer)
    this.world.pass(delivery.process, 'acknowledged', null, sinceUs)
  }

  #carry(process: VirtualProcess, way: 'toNode' | 'toProcess', arrive: () => void): void {
    const direction = this.world.network.link(process.slot, 'broker')[way]
    const pipe = new Pipe<null, VirtualProcess>(this.world.kernel, direction, () => {
      pipe.close()
      arrive()
    })
    pipe.send(null)
  }

  /** The run is over: see `VirtualProcess.dispose`. Handlers that never answered hold this pool. */
  dispose(): void {
    this.#over = true
    for (const process of this.#processes) process.dispose()
    this.effects.dispose()
    Object.assign(this, { world: null, host: null, broker: null, effects: null, slots: [] })
  }

  end(process: VirtualProcess, how: 'crashed' | 'died', error?: unknown): void {
    if (process.state === 'ended') return
    process.end()
    const text = error === undefined ? {} : { error: describe(error) }
    this.world.recorder.fact({ type: 'process-ended', process: process.name, how, ...text })
    // The broker notices a closed connection a little later.
    this.world.kernel.schedule(1000, null, () => this.broker.disconnected(process))
  }
}

/** The message as it comes over the network: whoever alters it alters a copy. */
function received({ entry: { message, fingerprint } }: Delivery): Message {
  return { ...message, payload: JSON.parse(fingerprint) }
}

/** The outcome as it goes over the network. */
function sentOutcome(outcome: unknown): { outcome: Outcome } | { error: string } {
  try {
    const checked = checkedOutcome(outcome)
    return 'error' in checked ? checked : JSON.parse(JSON.stringify(checked))
  } catch (error) {
    return { error: `handle answered what is no JSON (${describe(error)})` }
  }
}

function checkedOutcome(outcome: unknown): { outcome: Outcome } | { error: string } {
  const status = (outcome as { status?: unknown } | null | undefined)?.status
  if (status === 'done') return { outcome: { status, result: (outcome as { result?: never }).result ?? null } }
  if (status === 'refused') return { outcome: { status, error: String((outcome as { error?: unknown }).error ?? '') } }
  if (status === 'retry') return { outcome: { status } }
  if (status === 'park') return { outcome: { status, reason: String((outcome as { reason?: unknown }).reason ?? '') } }
  return { error: 'handle answered no outcome ({ status: "done" | "refused" | "retry" | "park", … })' }
}

function describe(error: unknown): string {
  return withoutMachine(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
}
