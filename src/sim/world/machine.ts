import type { RedisConnection, RedisEnvironment, RedisServer, Repeatable, ReplyMessage, Wire, WireEnd } from 'redis-sim'
import { tooManyClients } from 'redis-sim'
import type { InboundLink, Message } from 'redis-sim/cluster'
import { encodeReply } from 'redis-sim/resp'
import type { ClientSide, Listener, MachineWire, ServerEnd } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import { ServedClient } from './served-client.ts'
import { ServerMachine } from './server-machine.ts'
import type { StoreWait } from './store-site.ts'

/**
 * A machine of the Redis deployment that runs one server, a Redis or a Sentinel. It accepts
 * clients, dials other machines, stalls, dies and restarts. Events that a dead machine had
 * scheduled never happen.
 */
export abstract class Machine extends ServerMachine implements Listener, RedisEnvironment {
  abstract server: RedisServer
  abstract override readonly runs: 'redis' | 'sentinel'
  /** The label of the command whose reply is written next; null if no boundary counts it. */
  answering: string | null = null
  protected readonly clients = new Map<number, ServedClient>()
  readonly #wires = new Set<MachineWire>()

  accept(connection: ClientSide): ServerEnd | null {
    if (!this.up) return null
    const client = new ServedClient(this, connection)
    this.clients.set(client.id, client)
    this.arrived(client.id)
    if (this.server.degraded.connectionsExhausted) {
      client.write(encodeReply(tooManyClients, 2))
      client.close()
      client.closed()
    }
    return client
  }

  /** The replies for which clients of the process wait. */
  waitsOf(process: VirtualProcess): StoreWait[] {
    return [...this.clients.values()].flatMap((one) => (one.connection.process === process ? one.waits : []))
  }

  /** Kills the server process. `withDisk`: destroys the disk, too. */
  abstract stop(withDisk?: boolean): void
  /** Restarts the server process with the content of its disk. */
  abstract start(): void

  /** A client connected. */
  protected arrived(_client: number): void {}

  /**
   * A connection has ended. `unexecuted`: the first received command that was not executed; null if
   * all were executed.
   */
  forget(connectionId: number, _unexecuted: readonly string[] | null): void {
    this.clients.delete(connectionId)
  }

  /** The server process dies and its connections end. The disk remains. */
  protected die(): void {
    this.endLife(() => {
      for (const client of [...this.clients.values()]) {
        client.connection.break('ECONNRESET')
        client.closed()
      }
      for (const wire of this.#wires) wire.close()
      this.#wires.clear()
    })
  }

  protected override turns(): void {
    this.server.recheckTimers()
  }

  random(n: number): number {
    return this.choices.random('server', n)
  }

  readonly wires = {
    dial: (host: string, port: number, end: WireEnd): Wire => {
      const { life } = this
      const from = { name: this.name, address: this.address.host }
      const wire = this.world.network.dial(from, host, port, {
        opened: (local) => this.inLife(life, () => end.opened(local)),
        received: (bytes) => this.inLife(life, () => end.received(bytes)),
        heard: (message) => this.inLife(life, () => end.heard?.(message as Message | ReplyMessage)),
        repeated: (message) => !this.stalled && life === this.life && (end.repeated?.(message as Repeatable) ?? false),
        closed: (why) => {
          this.#wires.delete(wire)
          this.inLife(life, () => end.closed(why))
        },
      })
      this.#wires.add(wire)
      return {
        write: (bytes) => wire.write(bytes),
        send: (content) => wire.write(content),
        far: () => wire.far as RedisConnection | InboundLink | null,
        close: () => {
          this.#wires.delete(wire)
          wire.close()
        },
      }
    },
  }
}
