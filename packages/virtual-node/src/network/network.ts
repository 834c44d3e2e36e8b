import { assert } from '../assert.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import type { Acceptor, Address, ByteStream, Endpoint, ListenFailure, ServerSocket } from '../runtime/transport.ts'
import type { Listener } from './client-side.ts'
import { Connection, type Tap } from './connection.ts'
import { Direction, Link, Loopback } from './link.ts'
import { type Dialler, MachineWire } from './machine-wire.ts'
import { addressOf, ProcessServers } from './process-servers.ts'
import { ProcessWire } from './process-wire.ts'

/** Each slot is a machine with its own ports, from the range that Linux gives to clients. */
const firstPort = 40_000

/** The addresses of machines, and the links between process slots and nodes. */
export class Network {
  /** The links, by node, then by slot. */
  readonly #links = new Map<string, (Link | undefined)[]>()
  readonly #listeners = new Map<string, { node: string; listener: Listener; tap: Tap | null }>()
  readonly #ports: number[] = []
  /** The directions between machines of the deployment, by the names of both machines. */
  readonly #ways = new Map<string, Direction>()
  /** By address: the name of its machine. */
  readonly #machines = new Map<string, string>()
  readonly #machinePorts = new Map<string, number>()
  readonly #servers = new ProcessServers()
  readonly connections = new Set<Connection>()

  constructor(private readonly kernel: Kernel<VirtualProcess>) {}

  /** Called when the run is over; see `VirtualProcess.dispose`. */
  dispose(): void {
    for (const connection of this.connections) connection.dispose()
    for (const links of this.#links.values())
      for (const link of links)
        for (const direction of link === undefined ? [] : [link.toNode, link.toProcess]) direction.pipes.clear()
    this.#servers.dispose()
    for (const known of [this.#links, this.#listeners, this.#ways, this.connections]) known.clear()
  }

  /** The link between a consumer slot and a node (`redis`, `sink`, `broker`). */
  link(slot: number, node: string): Link {
    return (this.#linksTo(node)[slot] ??= this.#newLink(`consumer-${slot + 1}~${node}`))
  }

  #linksTo(node: string): (Link | undefined)[] {
    let links = this.#links.get(node)
    if (links === undefined) this.#links.set(node, (links = []))
    return links
  }

  #newLink(name: string): Link {
    const { choices } = this.kernel
    return new Link(new Direction(choices.stream(`${name}>`)), new Direction(choices.stream(`${name}<`)))
  }

  listen(address: string, port: number, node: string, listener: Listener, tap: Tap | null): void {
    const name = `${address}:${port}`
    assert(!this.#listeners.has(name), 'one machine listens at an address')
    this.#listeners.set(name, { node, listener, tap })
  }

  /** A process listens on an address of its machine; port 0 stands for a free port. */
  serve(process: VirtualProcess, address: string, port: number, accept: Acceptor): ServerSocket | ListenFailure {
    return this.#servers.listen(process, { address, port: port === 0 ? this.#nextPort(process.slot) : port }, accept)
  }

  /** True if a process of the world listens at that address and port, or once did. */
  isServed(slot: number, address: string, port: number): boolean {
    return this.#servers.slotOf(slot, address, port) !== null
  }

  #nextPort(slot: number): number {
    return (this.#ports[slot] = (this.#ports[slot] ?? firstPort) + 1)
  }

  #loopback(slot: number): Link {
    const stream = this.kernel.choices.stream(`consumer-${slot + 1}~loopback`)
    return (this.#linksTo('loopback')[slot] ??= new Link(new Loopback(stream), new Loopback(stream)))
  }

  connect(process: VirtualProcess, address: string, remotePort: number, endpoint: Endpoint): ByteStream {
    const target = this.#listeners.get(`${address}:${remotePort}`)
    const server = target === undefined ? this.#servers.slotOf(process.slot, address, remotePort) : null
    return server === null
      ? this.#connectToNode(process, address, remotePort, endpoint)
      : this.#connectToProcess(process, server, { address, port: remotePort }, endpoint)
  }

  #connectToProcess(process: VirtualProcess, slot: number, remote: Address, endpoint: Endpoint): ByteStream {
    const isOwn = slot === process.slot
    const { toNode, toProcess } = isOwn ? this.#loopback(slot) : this.link(process.slot, `consumer-${slot + 1}`)
    const local = { address: isOwn ? remote.address : addressOf(process.slot), port: this.#nextPort(process.slot) }
    return new ProcessWire({
      kernel: this.kernel,
      process,
      local,
      endpoint,
      there: toNode,
      back: toProcess,
      listens: () => this.#servers.at(slot, remote, local),
    }).open()
  }

  #connectToNode(process: VirtualProcess, address: string, remotePort: number, endpoint: Endpoint): Connection {
    const target = this.#listeners.get(`${address}:${remotePort}`)
    const node = target?.node ?? `${address}:${remotePort}`
    const local = { address: addressOf(process.slot), port: this.#nextPort(process.slot) }
    const link = this.link(process.slot, node)
    const connection = new Connection(this.kernel, process, link, local, endpoint, node, target?.tap ?? null)
    this.connections.add(connection)
    connection.open(target?.listener ?? null)
    return connection
  }

  /** Gives a machine the address, whether or not anything listens on it. */
  place(address: string, machine: string): void {
    assert((this.#machines.get(address) ?? machine) === machine, 'an address belongs to one machine')
    this.#machines.set(address, machine)
  }

  /** True if a machine of the deployment has that address. */
  isPlaced(address: string): boolean {
    return this.#machines.has(address)
  }

  /** The direction from one machine of the deployment to another. */
  way(from: string, to: string): Direction {
    const name = `${from}>${to}`
    let way = this.#ways.get(name)
    if (way === undefined) this.#ways.set(name, (way = new Direction(this.kernel.choices.stream(name))))
    return way
  }

  /** A machine of the deployment connects to an address of another machine. */
  dial(from: { name: string; address: string }, address: string, remotePort: number, dialler: Dialler): MachineWire {
    const to = this.#machines.get(address) ?? address
    const port = (this.#machinePorts.get(from.name) ?? firstPort) + 1
    this.#machinePorts.set(from.name, port)
    const local = { address: from.address, port }
    const accepts = () => this.#listeners.get(`${address}:${remotePort}`)?.listener ?? null
    return new MachineWire(this.kernel, this.way(from.name, to), this.way(to, from.name), local, accepts, dialler)
  }
}
