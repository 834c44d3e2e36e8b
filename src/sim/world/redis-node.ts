import type { Reply } from '../lua/reply.ts'
import type { Connection, Listener, ServerEnd, Tap } from '../network/connection.ts'
import type { RedisEnvironment } from '../redis/environment.ts'
import { RedisServer } from '../redis/server.ts'
import type { Passing } from './boundaries.ts'
import { commandLabel, labelOfBytes, noteScript } from './command-label.ts'
import type { World } from './world-state.ts'

/** One Redis server on the simulated network, with a boundary at every step of every command. */
export class RedisNode implements Listener, Tap {
  readonly server: RedisServer
  readonly #connections = new Map<number, Connection>()
  #label: string | null = null

  constructor(
    private readonly world: World,
    readonly name: string,
  ) {
    this.server = new RedisServer(this.#environment())
  }

  #environment(): RedisEnvironment {
    const { kernel } = this.world
    const chance = kernel.choices.stream(`node:${this.name}`)
    return {
      nowUs: () => this.world.epochMs * 1000 + kernel.nowUs,
      random: (n) => chance.choose('server', n),
      schedule: (delayUs, callback) => {
        const event = kernel.schedule(delayUs, null, callback)
        return () => kernel.cancel(event)
      },
      unsupported: (what) => this.world.unsupported(what),
      beforeCommand: (connectionId, args) => this.#before(connectionId, args),
      executed: (connectionId, args, reply) => this.#executed(connectionId, args, reply),
    }
  }

  accept(connection: Connection): ServerEnd {
    const client = this.server.connect({
      write: (bytes) => connection.reply(bytes, this.#label),
      close: () => connection.serverClose(),
      address: `${connection.local.address}:${connection.local.port}`,
    })
    this.#connections.set(client.id, connection)
    return {
      received: (bytes) => {
        client.receive(bytes)
        this.#label = null
      },
      closed: () => {
        this.#connections.delete(client.id)
        client.close()
      },
    }
  }

  #before(connectionId: number, args: readonly string[]): 'run' | 'drop' {
    this.#label = null
    const connection = this.#connections.get(connectionId)
    if (connection === undefined) return 'drop'
    if (args[0]?.toUpperCase() === 'SCRIPT' && args[2] !== undefined) noteScript(args[2])
    const label = commandLabel(args)
    if (label === null) return 'run'
    const passing = this.world.pass(connection.process, 'command-unexecuted', label)
    if (passing.verdict === 'drop') {
      this.lost(connection, 'request', label)
      connection.break('ECONNRESET')
    }
    if (connection.server === null) return 'drop'
    this.#label = label
    return 'run'
  }

  #executed(connectionId: number, args: readonly string[], reply: Reply): void {
    const label = this.#label
    const connection = this.#connections.get(connectionId)
    if (label === null || connection === undefined) return
    this.world.traceCommand(connection.process, args, reply)
    this.world.schedule(connection.process, label, reply)
    const passing = this.world.pass(connection.process, 'command-executed', label)
    if (passing.verdict === 'drop') {
      this.lost(connection, 'reply', label)
      connection.break('ECONNRESET')
    }
  }

  // The client's side of the same connection.

  label(bytes: string): string | null {
    return labelOfBytes(bytes)
  }

  leaving(connection: Connection, label: string): boolean {
    return goesOn(this.world.pass(connection.process, 'command-unsent', label), connection)
  }

  arriving(connection: Connection, label: string): boolean {
    return goesOn(this.world.pass(connection.process, 'reply-received', label), connection)
  }

  lost(connection: Connection, what: 'request' | 'reply', label: string): void {
    const process = connection.process.name
    this.world.recorder.fact({ type: what === 'reply' ? 'reply-lost' : 'request-lost', process, command: label })
  }
}

function goesOn(passing: Passing, connection: Connection): boolean {
  return passing.verdict === 'pass' && connection.state === 'open'
}
