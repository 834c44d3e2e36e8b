import type { Kernel } from '../kernel/kernel.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import type { Endpoint } from '../runtime/transport.ts'
import type { Listener } from './client-side.ts'
import { Connection, type Tap } from './connection.ts'
import { Direction, Link } from './link.ts'
import { type Dialler, MachineWire } from './machine-wire.ts'

/** Each slot is a machine with ports of its own, from the range that Linux gives to clients. */
const firstPort = 40_000

/** Who is where, and the links between process slots and nodes. */
export class Network {
  /** By node, then by slot. */
  readonly #links = new Map<string, (Link | undefined)[]>()
  readonly #listeners = new Map<string, { node: string; listener: Listener; tap: Tap | null }>()
  readonly #ports: number[] = []
  /** From one machine of the deployment to another, by both names. */
  readonly #ways = new Map<string, Direction>()
  /** By address. */
  readonly #machines = new Map<string, string>()
  readonly #machinePorts = new Map<string, number>()
  readonly connections = new Set<Connection>()

  constructor(private readonly kernel: Kernel<VirtualProcess>) {}

  /** The run is over: see `VirtualProcess.dispose`. */
  dispose(): void {
    for (const connection of this.connections) connection.dispose()
    for (const links of this.#links.values())
      for (const link of links)
        for (const direction of link === undefined ? [] : [link.toNode, link.toProcess]) direction.pipes.clear()
    for (const known of [this.#links, this.#listeners, this.#ways, this.connections]) known.clear()
  }

  /** The link between a consumer slot and a node (`redis`, `sink`, `broker`). */
  link(slot: number, node: string): Link {
    let links = this.#links.get(node)
    if (links === undefined) this.#links.set(node, (links = []))
    return (links[slot] ??= this.#newLink(`consumer-${slot + 1}~${node}`))
  }

  #newLink(name: string): Link {
    const { choices } = this.kernel
    return new Link(new Direction(choices.stream(`${name}>`)), new Direction(choices.stream(`${name}<`)))
  }

  listen(address: string, port: number, node: string, listener: Listener, tap: Tap | null): void {
    this.#listeners.set(`${address}:${port}`, { node, listener, tap })
  }

  connect(process: VirtualProcess, address: string, remotePort: number, endpoint: Endpoint): Connection {
    const target = this.#listeners.get(`${address}:${remotePort}`)
    const node = target?.node ?? `${address}:${remotePort}`
    const port = (this.#ports[process.slot] ?? firstPort) + 1
    this.#ports[process.slot] = port
    const local = { address: `10.0.1.${process.slot + 1}`, port }
    const link = this.link(process.slot, node)
    const connection = new Connection(this.kernel, process, link, local, endpoint, node, target?.tap ?? null)
    this.connections.add(connection)
    connection.open(target?.listener ?? null)
    return connection
  }

  /** A machine has that address from now on, whether or not anything listens there. */
  place(address: string, machine: string): void {
    this.#machines.set(address, machine)
  }

  /** Whether a machine of the deployment has that address. */
  isPlaced(address: string): boolean {
    return this.#machines.has(address)
  }

  /** What one machine of the deployment sends another. */
  way(from: string, to: string): Direction {
    const name = `${from}>${to}`
    let way = this.#ways.get(name)
    if (way === undefined) this.#ways.set(name, (way = new Direction(this.kernel.choices.stream(name))))
    return way
  }

  /** A machine of the deployment connects to an address of another. */
  dial(from: { name: string; address: string }, address: string, remotePort: number, dialler: Dialler): MachineWire {
    const to = this.#machines.get(address) ?? address
    const port = (this.#machinePorts.get(from.name) ?? firstPort) + 1
    this.#machinePorts.set(from.name, port)
    const local = { address: from.address, port }
    const accepts = () => this.#listeners.get(`${address}:${remotePort}`)?.listener ?? null
    return new MachineWire(this.kernel, this.way(from.name, to), this.way(to, from.name), local, accepts, dialler)
  }
}
