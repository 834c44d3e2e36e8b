import { isIP } from 'node:net'
import type {
  Acceptor,
  AdapterFiles,
  ByteStream,
  Endpoint,
  ListenFailure,
  ProcessHost,
  ServerSocket,
  VirtualProcess,
} from 'virtual-node/runtime'
import type { Permission } from '../../contract/api/implementation.ts'
import type { ConsumerReports } from '../../run/ports.ts'
import { ReadableFiles } from '../adapters/loader.ts'
import { describe } from './consumers.ts'
import type { SimulatedLinks } from './simulated-links.ts'
import type { StoreSite } from './store-site.ts'
import { withoutMachine } from './without-machine.ts'
import type { World } from './world-state.ts'

const whyOther = "a host outside the simulation; remove that client, or let it fail with `allow: ['other-hosts']`"

/**
 * The services of consumer processes: network, name resolution, a log, and a supervisor that
 * notices when a process dies.
 */
export class ProcessServices implements ProcessHost {
  readonly kernel: World['kernel']
  readonly files: AdapterFiles
  /** Null once the run is over. */
  #world: World | null

  constructor(
    world: World,
    private readonly sites: readonly Pick<StoreSite, 'resolve'>[],
    private readonly links: SimulatedLinks,
    private readonly reports: ConsumerReports<VirtualProcess>,
    private readonly adapter: { readonly files: AdapterFiles; readonly allow: readonly Permission[] },
  ) {
    this.kernel = world.kernel
    this.files = adapter.files
    this.#world = world
  }

  get #live(): World {
    if (this.#world === null) throw new Error('the run is over: no process of it lives')
    return this.#world
  }

  connect(process: VirtualProcess, host: string, port: number, endpoint: Endpoint): ByteStream {
    const { network } = this.#live
    if (!network.isPlaced(host) && !network.isServed(process.slot, host, port))
      this.#reportOther(`a connection to ${host}:${port}`)
    return network.connect(process, host, port, endpoint)
  }

  listen(process: VirtualProcess, address: string, port: number, accept: Acceptor): ServerSocket | ListenFailure {
    return this.#live.network.serve(process, address, port, accept)
  }

  resolve(hostname: string): string | null {
    if (isIP(hostname) !== 0) return hostname
    const address = this.sites.map((site) => site.resolve(hostname)).find((found) => found !== null) ?? null
    if (address === null) this.#reportOther(`a look-up of ${hostname}`)
    return this.links.namesResolve ? address : null
  }

  #reportOther(what: string): void {
    if (!this.adapter.allow.includes('other-hosts')) this.unsupported(`${what}, ${whyOther}`)
  }

  log(process: VirtualProcess, stream: 'stdout' | 'stderr', text: string): void {
    this.#live.recorder.trace({ type: 'log', process: process.name, stream, text: withoutMachine(text) })
  }

  died(process: VirtualProcess, error: unknown): void {
    this.#live.firstError?.note(error)
    this.reports.died(process, describe(error))
  }

  drew(process: VirtualProcess, number: number): void {
    const world = this.#live
    if (world.isRecorded(process)) world.scheduleRecorder?.drew(process.name, number)
  }

  timerStarted(delayMs: number): void {
    this.#live.limits.note(delayMs)
  }

  unsupported(what: string): void {
    this.#live.unsupported(what)
  }

  /** Adds a file that the adapter read to the digest, because its content may change the run. */
  fileRead(what: string, digest: string): void {
    if (!ReadableFiles.isOurs(what)) this.#live.kernel.choices.digest.text(`${what} ${digest}`)
  }

  /** Called when the run is over: from now on, its processes use `disposedHost`. */
  dispose(): void {
    this.#world = null
  }
}
