import type { StoreMachine } from '../../run/ports.ts'
import type { ChoiceStream } from '../kernel/choices.ts'
import type { MachineClock } from '../kernel/machine-clock.ts'
import type { ClientSide, Listener, ServerEnd } from '../network/client-side.ts'
import type { MachineWire } from '../network/machine-wire.ts'
import type { InboundLink } from '../redis/cluster/bus-link.ts'
import type { Message } from '../redis/cluster/bus-message.ts'
import type { RedisConnection } from '../redis/connection.ts'
import type { RedisEnvironment } from '../redis/environment.ts'
import { encodeReply } from '../redis/resp/encode.ts'
import type { RedisServer } from '../redis/server.ts'
import { tooManyClients } from '../redis/trouble.ts'
import type { Repeatable, ReplyMessage, Wire, WireEnd } from '../redis/wires.ts'
import { ServedClient } from './served-client.ts'
import type { World } from './world-state.ts'

/** Where a machine is, by its name and on the network. */
export interface MachineAddress {
  readonly name: string
  readonly host: string
  readonly port: number
}

/**
 * A machine of the Redis deployment with one server on it, a Redis or a Sentinel: clients come to it, it dials others,
 * it stalls, it dies and is started again. What a dead one had planned never happens.
 */
export abstract class Machine implements Listener, RedisEnvironment, StoreMachine {
  abstract server: RedisServer
  abstract readonly runs: 'redis' | 'sentinel'
  /** Names the command whose reply is written next; null where no boundary counts it. */
  answering: string | null = null
  up = true
  /** What came while the server executed nothing; null while it executes. */
  #waiting: (() => void)[] | null = null
  protected readonly clients = new Map<number, ServedClient>()
  readonly #wires = new Set<MachineWire>()
  #lives = 1
  protected readonly chance: ChoiceStream

  constructor(
    protected readonly world: World,
    readonly address: MachineAddress,
    private readonly clock: MachineClock,
  ) {
    this.chance = world.kernel.choices.stream(`node:${address.name}`)
  }

  get name(): string {
    return this.address.name
  }

  accept(connection: ClientSide): ServerEnd | null {
    if (!this.up) return null
    const client = new ServedClient(this, connection)
    this.clients.set(client.id, client)
    this.arrived(client.id)
    if (this.server.trouble.connectionsExhausted) {
      client.write(encodeReply(tooManyClients, 2))
      client.close()
      client.closed()
    }
    return client
  }

  /** The process is killed, and its disk may go with it. */
  abstract stop(withDisk?: boolean): void
  /** It is started again, with what its disk has kept. */
  abstract start(): void

  /** A client connected. */
  protected arrived(_client: number): void {}

  /** `unexecuted`: the first of the commands that had come, if any are left. */
  forget(connectionId: number, _unexecuted: readonly string[] | null): void {
    this.clients.delete(connectionId)
  }

  /** The process is gone, with its connections; its disk is left. */
  protected die(): void {
    this.up = false
    this.#lives++
    const stalled = this.#waiting !== null
    this.#waiting = null
    for (const client of [...this.clients.values()]) {
      client.connection.break('ECONNRESET')
      client.closed()
    }
    for (const wire of this.#wires) wire.close()
    this.#wires.clear()
    if (stalled) this.#waiting = []
  }

  stall(on: boolean): boolean {
    const waited = this.#waiting
    if (on === (waited !== null)) return false
    this.server.stir()
    this.#waiting = on ? [] : null
    // What is executed now may bring the next stall about.
    for (const work of waited ?? []) this.inTurn(work)
    return true
  }

  /** Does the server's next piece of work: now, or when it works again. */
  inTurn(work: () => void): void {
    if (this.#waiting === null) work()
    else this.#waiting.push(work)
  }

  get stalled(): boolean {
    return this.#waiting !== null
  }

  // What the server stands on.

  nowUs(): number {
    return this.clock.wallUs()
  }

  monotonicUs(): number {
    return this.clock.monotonicUs()
  }

  random(n: number): number {
    return this.chance.random('server', n)
  }

  schedule(delayUs: number, callback: () => void): () => void {
    let wanted = true
    const life = this.#lives
    this.world.kernel.schedule(this.clock.worldDelayUs(delayUs), null, () => {
      if (wanted) this.#inThisLife(life, () => wanted && callback())
    })
    return () => {
      wanted = false
    }
  }

  readonly wires = {
    dial: (host: string, port: number, end: WireEnd): Wire => {
      const life = this.#lives
      const from = { name: this.name, address: this.address.host }
      const wire = this.world.network.dial(from, host, port, {
        opened: (local) => this.#inThisLife(life, () => end.opened(local)),
        received: (bytes) => this.#inThisLife(life, () => end.received(bytes)),
        heard: (message) => this.#inThisLife(life, () => end.heard?.(message as Message | ReplyMessage)),
        repeated: (message) =>
          this.#waiting === null && life === this.#lives && (end.repeated?.(message as Repeatable) ?? false),
        closed: (why) => {
          this.#wires.delete(wire)
          this.#inThisLife(life, () => end.closed(why))
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

  /** Does it in turn, unless the process that wanted it has died meanwhile. */
  #inThisLife(life: number, work: () => void): void {
    if (this.#waiting === null) {
      if (life === this.#lives) work()
    } else
      this.#waiting.push(() => {
        if (life === this.#lives) work()
      })
  }

  unsupported(what: string): void {
    this.world.unsupported(what)
  }
}
