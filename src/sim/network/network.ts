import type { Kernel } from '../kernel/kernel.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import type { Endpoint } from '../runtime/transport.ts'
import { Connection, type Listener, type Tap } from './connection.ts'
import { Direction, Link } from './link.ts'

/** Who is where, and the links between process slots and nodes. */
export class Network {
  readonly #links = new Map<string, Link>()
  readonly #listeners = new Map<string, { node: string; listener: Listener; tap: Tap | null }>()
  #nextPort = 40_000
  readonly connections = new Set<Connection>()

  constructor(private readonly kernel: Kernel<VirtualProcess>) {}

  /** The link between a consumer slot and a node (`redis`, `sink`, `broker`). */
  link(slot: number, node: string): Link {
    const name = `consumer-${slot + 1}~${node}`
    let link = this.#links.get(name)
    if (link === undefined) {
      const { choices } = this.kernel
      link = new Link(new Direction(choices.stream(`${name}>`)), new Direction(choices.stream(`${name}<`)))
      this.#links.set(name, link)
    }
    return link
  }

  listen(address: string, port: number, node: string, listener: Listener, tap: Tap | null): void {
    this.#listeners.set(`${address}:${port}`, { node, listener, tap })
  }

  connect(process: VirtualProcess, address: string, port: number, endpoint: Endpoint): Connection {
    const target = this.#listeners.get(`${address}:${port}`)
    const node = target?.node ?? `${address}:${port}`
    const local = { address: `10.0.1.${process.slot + 1}`, port: this.#nextPort++ }
    const link = this.link(process.slot, node)
    const connection = new Connection(this.kernel, process, link, local, endpoint, node, target?.tap ?? null)
    this.connections.add(connection)
    connection.open(target?.listener ?? null)
    return connection
  }
}
