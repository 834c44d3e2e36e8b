/**
 * A Redis 7.0.15 server, simulated: its keyspace, clients and script cache, as one synchronous state machine.
 *
 * Fault model: none of its own. A command is executed whole, in the turn in which `step` is called, and never fails
 * for want of memory or disk; whoever owns the connections decides when commands arrive and whether replies do.
 * Left out: replication, persistence, eviction, cluster, modules, functions, ACL users, streams and pub/sub (later
 * issues); background expiry (see keyspace/database.ts); slow log, latency and memory figures. What real Redis
 * knows and this one does not is answered as an unknown command, and reported through `environment.unsupported`.
 */
import type { Reply } from '../lua/reply.ts'
import { defaultConfig, type RedisConfig } from './config.ts'
import { type Peer, RedisConnection } from './connection.ts'
import type { RedisEnvironment } from './environment.ts'
import { ErrorCounts } from './error-counts.ts'
import type { KeyDescription } from './keyspace/describe.ts'
import { Keyspace } from './keyspace/keyspace.ts'
import { keyspaceEvents } from './pubsub/keyspace-events.ts'
import { Subscriptions } from './pubsub/subscriptions.ts'
import { ScriptCache } from './scripting/script-cache.ts'
import { ScriptHost } from './scripting/script-host.ts'
import { Trouble } from './trouble.ts'

export class RedisServer {
  readonly config: RedisConfig
  readonly keyspace: Keyspace
  readonly scripts = new ScriptCache()
  readonly trouble = new Trouble()
  readonly connections = new Map<number, RedisConnection>()
  /** Names this run of the server; new at every start. 40 hex digits, as the next one. */
  readonly runId: string
  /** Names the data set's history; a replica that was promoted gets a new one. */
  readonly replicationId: string
  readonly startedMs: number
  /** A script that never ends, with what its caller is answered once it is killed. */
  endlessScript: { readonly caller: number; readonly reply: Reply; readonly hasWritten: boolean } | null = null
  commandsExecuted = 0
  evictedKeys = 0
  connectionsReceived = 0
  /** CONFIG SET of parameters that change nothing here, so that CONFIG GET gives them back. */
  readonly inertParameters = new Map<string, string>()
  readonly subscriptions = new Subscriptions()
  readonly errorCounts = new ErrorCounts()
  private readonly toStep: RedisConnection[] = []
  private host: ScriptHost | undefined
  private nextConnectionId = 3

  constructor(
    readonly environment: RedisEnvironment,
    config: Partial<RedisConfig> = {},
  ) {
    this.config = { ...defaultConfig, ...config }
    this.keyspace = new Keyspace(this.config.databases)
    if (environment.expired !== undefined) this.keyspace.state.onExpired = (key) => environment.expired?.(key)
    this.runId = this.hexId()
    this.replicationId = this.hexId()
    this.startedMs = this.readClock()
    this.listenToKeys()
  }

  /** A client connected. Encoded reply bytes go to `peer.write`, in order; `peer.close` says that the server hangs up. */
  connect(peer: Peer): RedisConnection {
    const connection = new RedisConnection(this, this.nextConnectionId++, peer)
    this.connections.set(connection.id, connection)
    this.connectionsReceived++
    return connection
  }

  /** Sets the time that commands see, in milliseconds, from the environment's clock. */
  readClock(): number {
    return (this.keyspace.state.nowMs = Math.floor(this.environment.nowUs() / 1000))
  }

  /** What a real server's background cycle does; virtual time has none (see keyspace/database.ts). */
  dropExpired(): void {
    this.readClock()
    for (const database of this.keyspace.used()) database.dropExpired()
    this.serveBlocked()
    this.stepUnblocked()
  }

  /** Serves blocked clients from the keys that changed, until serving them changes no more keys. */
  serveBlocked(): void {
    const { state } = this.keyspace
    for (let next = state.ready.shift(); next !== undefined; next = state.ready.shift()) {
      next.database.waiters.serve(next.key)
    }
  }

  /** A connection goes on with what it had sent, as soon as the one that executes now has no more to execute. */
  unblocked(connection: RedisConnection): void {
    this.toStep.push(connection)
  }

  stepUnblocked(): void {
    for (let next = this.toStep.shift(); next !== undefined; next = this.toStep.shift()) while (next.step());
  }

  /** Publishes events of keys as notify-keyspace-events asks for. */
  listenToKeys(): void {
    this.keyspace.state.notify = keyspaceEvents(this.config.notifyKeyspaceEvents, this.subscriptions)
  }

  /** Live keys now, in all databases, and how many of them have no expiry. */
  countKeys(): { keys: number; withoutExpiry: number } {
    return this.keyspace.countKeys(this.readClock())
  }

  /** Every live key in a canonical order, as plain JSON: for digests and for people. */
  describeKeys(): KeyDescription[] {
    return this.keyspace.describe(this.readClock())
  }

  /** Made when the first script runs. */
  get scriptHost(): ScriptHost {
    return (this.host ??= new ScriptHost(this))
  }

  /** Deletes keys that nobody asked to delete, as an evicting maxmemory-policy does; answers which. */
  evict(chosen: (key: string) => boolean): string[] {
    this.readClock()
    const gone: string[] = []
    for (const database of this.keyspace.used()) {
      for (const key of [...database.entries.keys()].filter(chosen)) {
        database.remove(key)
        database.touched(key, 'e', 'evicted')
        gone.push(key)
      }
    }
    this.evictedKeys += gone.length
    return gone
  }

  private hexId(): string {
    let id = ''
    while (id.length < 40) id += this.environment.random(65536).toString(16).padStart(4, '0')
    return id
  }
}
