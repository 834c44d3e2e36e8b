import { isIP } from 'node:net'
import type { ConsumerReports } from '../../run/ports.ts'
import type { ProcessHost, VirtualProcess } from '../runtime/process.ts'
import type { ByteStream, Endpoint } from '../runtime/transport.ts'
import { describe } from './consumers.ts'
import type { RedisSite } from './redis-site.ts'
import type { SimulatedLinks } from './simulated-links.ts'
import { withoutMachine } from './without-machine.ts'
import type { World } from './world-state.ts'

/** What consumer processes live on: the network, names, a log, and a supervisor that sees them die. */
export class ProcessServices implements ProcessHost {
  readonly kernel: World['kernel']
  /** Null once the run is over. */
  #world: World | null

  constructor(
    world: World,
    private readonly site: RedisSite,
    private readonly links: SimulatedLinks,
    private readonly reports: ConsumerReports<VirtualProcess>,
  ) {
    this.kernel = world.kernel
    this.#world = world
  }

  get #live(): World {
    if (this.#world === null) throw new Error('the run is over: no process of it lives')
    return this.#world
  }

  connect(process: VirtualProcess, host: string, port: number, endpoint: Endpoint): ByteStream {
    return this.#live.network.connect(process, host, port, endpoint)
  }

  resolve(hostname: string): string | null {
    if (isIP(hostname) !== 0) return hostname
    return this.links.namesResolve ? this.site.resolve(hostname) : null
  }

  log(process: VirtualProcess, stream: 'stdout' | 'stderr', text: string): void {
    this.#live.recorder.trace({ type: 'log', process: process.name, stream, text: withoutMachine(text) })
  }

  died(process: VirtualProcess, error: unknown): void {
    this.reports.died(process, describe(error))
  }

  timerStarted(delayMs: number): void {
    this.#live.limits.note(delayMs)
  }

  unsupported(what: string): void {
    this.#live.unsupported(what)
  }

  /** The run is over: processes stand on `disposedHost` from now on. */
  dispose(): void {
    this.#world = null
  }
}
