import { assert } from 'virtual-node/assert'
import { type ProcessHost, VirtualProcess } from 'virtual-node/runtime'
import type { CreateContext, Handler } from '../../contract/api/implementation.ts'
import type { Message, Outcome } from '../../contract/api/message.ts'
import type { StoreAddresses } from '../../contract/api/store.ts'
import type { Answer, Delivery } from '../../run/broker.ts'
import { checkedOutcome } from '../../run/checked-outcome.ts'
import { lockReports } from '../../run/lock-reports.ts'
import type { ConsumerDriver, ConsumerReports } from '../../run/ports.ts'
import type { SinkCalls } from '../../run/sink/sink-client.ts'
import { sinkClient } from '../../run/sink/sink-client.ts'
import type { LoadedImplementation } from '../adapters/load-implementation.ts'
import { withoutMachine } from './without-machine.ts'
import type { World } from './world-state.ts'

/** The addresses of Redis and of the stores that the layer needs. */
export type Addresses = Pick<CreateContext, 'redis' | keyof StoreAddresses>

export interface SimulatedConsumerSetting {
  readonly host: ProcessHost
  readonly implementation: LoadedImplementation
  readonly addresses: Addresses
  /** True: each process gets a module graph that is made for this run only. */
  readonly fresh: boolean
  readonly callsOf: (process: VirtualProcess) => SinkCalls
  readonly reports: ConsumerReports<VirtualProcess>
}

interface ConsumersRun {
  readonly world: World
  readonly setting: SimulatedConsumerSetting
}

/** The consumers of a simulated run: virtual processes, and the layer's handlers in them. */
export class SimulatedConsumers implements ConsumerDriver<VirtualProcess> {
  /** All processes of the run, including ended ones. */
  readonly #processes: VirtualProcess[] = []
  readonly #handlers = new Map<VirtualProcess, Handler>()
  /** Null once the run is over. */
  #running: ConsumersRun | null

  constructor(world: World, setting: SimulatedConsumerSetting) {
    this.#running = { world, setting }
  }

  get #run(): ConsumersRun {
    if (this.#running === null) throw new Error('the run is over: no consumer of it can be driven')
    return this.#running
  }

  start(slot: number, name: string, incarnation: number): VirtualProcess {
    const { world, setting } = this.#run
    const process = new VirtualProcess(setting.host, name, slot, incarnation, world.clock(slot))
    this.#processes.push(process)
    process.schedule(0, () => this.#create(process))
    return process
  }

  #create(process: VirtualProcess): void {
    const { world, setting } = this.#run
    const { leaseMs, retentionMs } = world.plan
    const sink = sinkClient(setting.callsOf(process))
    const adapter = setting.implementation.instantiate(process.name, setting.fresh)
    const lock = this.#lockReportsOf(process)
    const context = { ...setting.addresses, instanceId: process.name, leaseMs, retentionMs, sink, lock }
    const creating =
      adapter instanceof Promise
        ? adapter.then((loaded) => loaded.create(context))
        : new Promise<Handler>((resolve) => resolve(adapter.create(context)))
    void creating.then(
      (handler) => {
        if (typeof handler?.handle !== 'function')
          return this.#failed(
            process,
            new Error(
              `create of ${setting.implementation.implementation.id} returned no object with a \`handle\` function`,
            ),
          )
        // A layer may be created after its run is over.
        if (this.#running === null) return
        this.#handlers.set(process, handler)
        setting.reports.created(process)
      },
      (error: unknown) => this.#failed(process, error),
    )
  }

  /**
   * A separate method, because the layer keeps the closure, which keeps everything that any closure
   * of the same scope uses.
   */
  #lockReportsOf(process: VirtualProcess) {
    return lockReports((key, what) => {
      if (process.state !== 'ended')
        this.#running?.world.recorder.fact({ type: 'lock', process: process.name, key, what })
    })
  }

  #failed(process: VirtualProcess, error: unknown): void {
    this.#running?.world.firstError?.note(error)
    this.#running?.setting.reports.createFailed(process, describe(error))
  }

  inTurn(process: VirtualProcess, work: () => void): void {
    const { world } = this.#run
    world.kernel.turn(process, () => world.guardHarnessCode(work))
  }

  deliver(process: VirtualProcess, delivery: Delivery<VirtualProcess>): void {
    const handler = this.#handlers.get(process)
    assert(handler !== undefined, 'deliveries are handled by a layer that was created')
    const { sent } = this.#run.world
    const handle = () => handler.handle(received(delivery))
    let answer: Promise<Outcome>
    try {
      answer = Promise.resolve(sent === null ? handle() : sent.handles(process, delivery.id, handle))
    } catch (error) {
      answer = Promise.reject(error)
    }
    const report = (given: Answer) => {
      sent?.answered(delivery.id)
      this.#running?.setting.reports.answered(process, delivery, given)
    }
    void answer.then(
      (outcome) => report(checkedOutcome(outcome, describe)),
      (error: unknown) => {
        this.#running?.world.firstError?.note(error)
        report({ error: describe(error) })
      },
    )
  }

  whenRunning(process: VirtualProcess, work: () => void): void {
    process.whenRunning(work)
  }

  kill(process: VirtualProcess): void {
    process.end()
  }

  pause(process: VirtualProcess): void {
    process.pause()
  }

  resume(process: VirtualProcess): void {
    process.resume()
  }

  /**
   * Called when the run is over; see `VirtualProcess.dispose`. Handlers that never answered still
   * reference this object.
   */
  dispose(): void {
    for (const process of this.#processes) process.dispose()
    this.#handlers.clear()
    this.#running = null
  }
}

/** A copy of the message, as if received over the network: a handler cannot alter the original. */
function received({ entry: { message, fingerprint } }: Delivery<VirtualProcess>): Message {
  return { ...message, payload: JSON.parse(fingerprint) }
}

export function describe(error: unknown): string {
  return withoutMachine(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
}
