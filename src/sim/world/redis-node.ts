import type { ChoiceStream } from '../kernel/choices.ts'
import type { Reply } from '../lua/reply.ts'
import type { Connection, Listener, ServerEnd, Tap } from '../network/connection.ts'
import type { RedisEnvironment } from '../redis/environment.ts'
import { RedisServer } from '../redis/server.ts'
import type { Passing } from './boundaries.ts'
import { commandLabel, labelOfBytes, noteScript } from './command-label.ts'
import { ServedClient } from './served-client.ts'
import type { World } from './world-state.ts'

/** One Redis server on the simulated network, with a boundary at every step of every command. */
export class RedisNode implements Listener, Tap, RedisEnvironment {
  readonly server: RedisServer
  /** Names the command whose reply is being written; null for what nobody counts. */
  answering: string | null = null
  readonly #connections = new Map<number, Connection>()
  readonly #chance: ChoiceStream

  constructor(
    private readonly world: World,
    readonly name: string,
  ) {
    this.#chance = world.kernel.choices.stream(`node:${name}`)
    this.server = new RedisServer(this)
  }

  accept(connection: Connection): ServerEnd {
    const client = new ServedClient(this, connection)
    this.#connections.set(client.id, connection)
    return client
  }

  forget(connectionId: number): void {
    this.#connections.delete(connectionId)
  }

  // What the server stands on.

  nowUs(): number {
    return this.world.epochMs * 1000 + this.world.kernel.nowUs
  }

  random(n: number): number {
    return this.#chance.choose('server', n)
  }

  schedule(delayUs: number, callback: () => void): () => void {
    const { kernel } = this.world
    const event = kernel.schedule(delayUs, null, callback)
    return () => kernel.cancel(event)
  }

  unsupported(what: string): void {
    this.world.unsupported(what)
  }

  beforeCommand(connectionId: number, args: readonly string[]): 'run' | 'drop' {
    this.answering = null
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
    this.answering = label
    return 'run'
  }

  executed(connectionId: number, args: readonly string[], reply: Reply): void {
    const label = this.answering
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
