import type { RedisTarget } from '../faults/fault.ts'
import type { ChoiceStream } from '../kernel/choices.ts'
import type { MachineClock } from '../kernel/machine-clock.ts'
import { ErrorReply, type Reply } from '../lua/reply.ts'
import type { Connection, Listener, ServerEnd, Tap } from '../network/connection.ts'
import type { RedisEnvironment } from '../redis/environment.ts'
import { encodeReply } from '../redis/resp/encode.ts'
import { RedisServer } from '../redis/server.ts'
import { tooManyClients } from '../redis/trouble.ts'
import type { Ruling } from './boundaries.ts'
import { CommandLabels } from './command-label.ts'
import { ServedClient } from './served-client.ts'
import type { World } from './world-state.ts'

/** One Redis server on the simulated network, with a boundary at every step of every command. */
export class RedisNode implements Listener, Tap, RedisEnvironment, RedisTarget {
  server: RedisServer
  readonly labels = new CommandLabels()
  /** Names the command whose reply is being written; null for what nobody counts. */
  answering: string | null = null
  up = true
  /** What came while the server executed nothing; null while it executes. */
  #waiting: (() => void)[] | null = null
  #evicts = false
  /** The command at hand is answered with an error in place of being executed. */
  #refuses = false
  readonly #clients = new Map<number, ServedClient>()
  readonly #chance: ChoiceStream

  constructor(
    private readonly world: World,
    readonly name: string,
    private readonly clock: MachineClock,
  ) {
    this.#chance = world.kernel.choices.stream(`node:${name}`)
    this.server = new RedisServer(this)
  }

  accept(connection: Connection): ServerEnd | null {
    if (!this.up) return null
    const client = new ServedClient(this, connection)
    this.#clients.set(client.id, client)
    if (this.server.trouble.connectionsExhausted) {
      client.write(encodeReply(tooManyClients, 2))
      client.close()
      client.closed()
    }
    return client
  }

  forget(connectionId: number): void {
    this.#clients.delete(connectionId)
  }

  // What faults do to it.

  stop(): void {
    this.up = false
    const stalled = this.#waiting !== null
    this.#waiting = null
    const keys = this.server.describeKeys().map(({ key }) => key)
    for (const client of [...this.#clients.values()]) {
      client.connection.break('ECONNRESET')
      client.closed()
    }
    for (const database of this.server.keyspace.used()) this.server.keyspace.flush(database)
    if (stalled) this.#waiting = []
    this.#lost('restart', keys)
  }

  startEmpty(): void {
    this.up = true
    // What troubles it (a neighbour that eats the memory, a script that is sent again) goes on.
    const { trouble } = this.server
    this.server = new RedisServer(this)
    Object.assign(this.server.trouble, trouble)
  }

  flushAll(): void {
    const keys = this.server.describeKeys().map(({ key }) => key)
    for (const database of this.server.keyspace.used()) this.server.keyspace.flush(database)
    this.#lost('flush', keys)
  }

  evict(): boolean {
    if (this.#evicts) return false
    this.#evicts = true
    this.server.config.maxmemoryPolicy = 'allkeys-random'
    const keys = this.server.evict(() => this.#chance.choose('evict', 2) === 1)
    this.#lost('eviction', keys)
    return true
  }

  stopEvicting(): void {
    this.#evicts = false
    this.server.config.maxmemoryPolicy = 'noeviction'
  }

  flushScripts(): void {
    this.server.scripts.flush()
  }

  stall(on: boolean): boolean {
    const waited = this.#waiting
    if (on === (waited !== null)) return false
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

  trouble(what: 'outOfMemory' | 'loading' | 'busy' | 'connectionsExhausted', on: boolean): boolean {
    if (this.server.trouble[what] === on) return false
    this.server.trouble[what] = on
    return true
  }

  #lost(cause: 'restart' | 'flush' | 'eviction', redisKeys: readonly string[]): void {
    // An empty server that is born anew tells its clients so, too: it is another data set.
    if (redisKeys.length > 0 || cause !== 'eviction')
      this.world.recorder.fact({ type: 'data-lost', node: this.name, cause, redisKeys })
  }

  // What the server stands on.

  nowUs(): number {
    return this.clock.wallUs()
  }

  random(n: number): number {
    return this.#chance.choose('server', n)
  }

  schedule(delayUs: number, callback: () => void): () => void {
    const { kernel } = this.world
    let wanted = true
    const fire = () => this.inTurn(() => wanted && callback())
    kernel.schedule(this.clock.worldDelayUs(delayUs), null, fire)
    return () => {
      wanted = false
    }
  }

  unsupported(what: string): void {
    this.world.unsupported(what)
  }

  expired(key: string): void {
    this.world.recorder.fact({ type: 'data-lost', node: this.name, cause: 'expiry', redisKeys: [key] })
  }

  beforeCommand(connectionId: number, args: readonly string[]): 'run' | 'drop' | ErrorReply {
    this.answering = null
    const connection = this.#clients.get(connectionId)?.connection
    if (connection === undefined) return 'drop'
    const label = this.labels.of(args)
    if (label === null) return 'run'
    this.world.limits.noteCommand(args)
    const passing = this.world.pass(connection.process, 'command-unexecuted', label)
    if (passing.verdict === 'drop') {
      this.lost(connection, 'request', label)
      connection.break('ECONNRESET')
    }
    if (!this.#clients.has(connectionId)) return 'drop'
    this.answering = label
    this.#refuses = passing.error !== null
    return passing.error === null ? 'run' : new ErrorReply(passing.error)
  }

  executed(connectionId: number, args: readonly string[], reply: Reply): void {
    const label = this.answering
    const connection = this.#clients.get(connectionId)?.connection
    if (label === null || connection === undefined) return
    this.world.traceCommand(connection.process, named(args, label), reply)
    this.world.schedule(connection.process, label, reply)
    if (this.#refuses) return
    const passing = this.world.pass(connection.process, 'command-executed', label)
    if (passing.verdict !== 'drop') return
    this.lost(connection, 'reply', label)
    this.answering = null
    connection.break('ECONNRESET')
  }

  // The client's side of the same connection.

  label(bytes: string): string | null {
    return this.labels.ofBytes(bytes)
  }

  leaving(connection: Connection, label: string): boolean {
    return this.world.ours(() => goesOn(this.world.pass(connection.process, 'command-unsent', label), connection))
  }

  arriving(connection: Connection, label: string): boolean {
    return goesOn(this.world.pass(connection.process, 'reply-received', label), connection)
  }

  lost(connection: Connection, what: 'request' | 'reply', label: string): void {
    const { process } = connection
    if (!this.world.tells(process)) return
    const type = what === 'reply' ? 'reply-lost' : 'request-lost'
    this.world.recorder.fact({ type, process: process.name, command: label })
  }
}

/** A script by its name in place of its body or its SHA-1. */
function named(args: readonly string[], label: string): readonly string[] {
  return label.startsWith('EVALSHA ') ? [args[0]!, label.slice('EVALSHA '.length), ...args.slice(2)] : args
}

function goesOn(passing: Ruling, connection: Connection): boolean {
  return passing.verdict === 'pass' && connection.state === 'open'
}
