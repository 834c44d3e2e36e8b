/**
 * A Redis 7.0.15 server, simulated: its keyspace, clients and script cache, as one synchronous
 * state machine.
 *
 * Fault model: none of its own. A command is executed whole, in the turn in which `step` is called,
 * and never fails for want of memory or disk; the owner of the connections decides when commands
 * arrive and whether replies do. Left out: memory as it is used (see limitMemory in
 * commands/config.ts), LFU policies, modules, MIGRATE, DEBUG, files of ACL users, the order in
 * which real Redis walks its hash tables (DUMP of one has another); background expiry (see
 * keyspace/database.ts). What real Redis knows and this one does not is answered as an unknown
 * command, and reported through `environment.unsupported`.
 */

import assert from 'node:assert/strict'
import { Acl } from './acl/acl.ts'
import type { BusPeer, InboundLink } from './cluster/bus-link.ts'
import { Cluster } from './cluster/cluster.ts'
import { loneNode, type NodesFile } from './cluster/nodes-file.ts'
import type { Command } from './command.ts'
import { CommandCounts } from './command-counts.ts'
import { commandTable, findCommand } from './command-table.ts'
import { defaultConfig, type RedisConfig } from './config.ts'
import { type Peer, RedisConnection } from './connection.ts'
import { DegradedState } from './degraded-state.ts'
import type { RedisEnvironment } from './environment.ts'
import { ErrorCounts } from './error-counts.ts'
import type { Database } from './keyspace/database.ts'
import type { KeyDescription } from './keyspace/describe.ts'
import { Keyspace } from './keyspace/keyspace.ts'
import { Monitors } from './monitors.ts'
import { Pause } from './pause.ts'
import type { DurableImage } from './persistence/image.ts'
import { Persistence } from './persistence/persistence.ts'
import { keyspaceEvents } from './pubsub/keyspace-events.ts'
import { Subscriptions } from './pubsub/subscriptions.ts'
import { Propagation } from './replication/propagation.ts'
import { hostAndPort, Replication } from './replication/replication.ts'
import { Waits } from './replication/waits.ts'
import { ErrorReply } from './resp/reply.ts'
import { Libraries } from './scripting/libraries.ts'
import type { LongScript } from './scripting/long-script.ts'
import { ScriptCache } from './scripting/script-cache.ts'
import { ScriptHost } from './scripting/script-host.ts'
import { SlowLog } from './slow-log.ts'
import { Tracking } from './tracking/tracking.ts'

/** What a server finds when it starts. */
export interface ServerStart {
  /** On its disk. */
  readonly image?: DurableImage | null | undefined
  /** What it knows of its Cluster (`cluster.saved`); without it, a node of a Cluster is alone. */
  readonly nodes?: NodesFile | undefined
}

const roleHasChanged = new ErrorReply(
  'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
)

export class RedisServer {
  readonly config: RedisConfig
  readonly keyspace: Keyspace
  readonly scripts = new ScriptCache()
  readonly libraries = new Libraries()
  readonly degraded = new DegradedState()
  readonly connections = new Map<number, RedisConnection>()
  /** Names this run of the server; new at every start. 40 hex digits, as the next one. */
  readonly runId: string
  readonly startedMs: number
  /** A script that other clients are told to wait for. */
  longScript: LongScript | null = null
  commandsExecuted = 0
  evictedKeys = 0
  connectionsReceived = 0
  /** CONFIG SET of parameters that change nothing here, so that CONFIG GET gives them back. */
  readonly inertParameters = new Map<string, string>()
  readonly subscriptions = new Subscriptions()
  readonly monitors = new Monitors()
  readonly tracking = new Tracking(this)
  readonly errorCounts = new ErrorCounts()
  readonly commandCounts = new CommandCounts()
  readonly slowLog = new SlowLog(this)
  readonly pause: Pause = new Pause(this)
  readonly propagation = new Propagation()
  /** How far the replication stream has come, in bytes. */
  replicationOffset = 0
  readonly replication: Replication
  readonly persistence: Persistence
  readonly waits = new Waits(this)
  readonly acl: Acl
  /** Null where `cluster-enabled` is no. */
  readonly cluster: Cluster | null
  /** The configuration file: what a restarted server begins with. */
  savedConfig: Partial<RedisConfig>
  isLoading = false
  /** Something other than a degraded state may refuse commands: see `guard`. */
  isGuarded = false
  private readonly timers = new Set<() => void>()
  private readonly toStep: RedisConnection[] = []
  private host: ScriptHost | undefined
  private hostOfFunctions: ScriptHost | undefined
  private nextConnectionId = 3

  constructor(
    readonly environment: RedisEnvironment,
    config: Partial<RedisConfig> = {},
    start: ServerStart = {},
  ) {
    this.config = { ...defaultConfig, ...config }
    this.keyspace = new Keyspace(this.config.databases, (database, key) => {
      if (this.propagation.active) this.recordDeletion(database, key, this.config.lazyfreeLazyExpire)
      environment.expired?.(key)
    })
    this.acl = new Acl(this, commandTable())
    this.runId = this.hexId()
    this.startedMs = this.readClock()
    this.replication = new Replication(this)
    this.persistence = new Persistence(this)
    this.savedConfig = config
    this.cluster = this.config.clusterEnabled
      ? new Cluster(this, start.nodes ?? loneNode(this.runId, this.config.port))
      : null
    this.listenToKeys()
    this.guard()
    this.persistence.begin(start.image ?? null, () => {
      if (this.config.replicaof !== '') this.replication.startFollowing(...hostAndPort(this.config.replicaof))
    })
  }

  /**
   * What is on the disk at this moment, for the next server on it: null where nothing is. A process
   * that dies loses nothing that was written; a machine that dies loses what was not synced.
   */
  durableImage(lost: 'process' | 'machine' = 'machine'): DurableImage | null {
    return this.persistence.image(lost)
  }

  /** Names the data set's history. */
  get replicationId(): string {
    return this.replication.id
  }

  /**
   * Calls back after a delay in own microseconds, unless the server was shut down; answers what
   * cancels it.
   */
  after(delayUs: number, callback: () => void, background = false): () => void {
    const cancel = this.environment.schedule(
      delayUs,
      () => {
        this.timers.delete(cancel)
        callback()
      },
      background,
    )
    this.timers.add(cancel)
    return () => {
      this.timers.delete(cancel)
      cancel()
    }
  }

  /** The process is dead: nothing of it happens any more, nothing is written. */
  shutdown(): void {
    this.replication.shutdown()
    this.cluster?.shutdown()
    for (const cancel of this.timers) cancel()
    this.timers.clear()
    for (const connection of [...this.connections.values()]) connection.close()
  }

  /**
   * Its clock is about to jump, or its process to stand still, or somebody has given it something
   * to do.
   */
  recheckTimers(): void {}

  /** The data set is being read: hardly any command is answered. */
  setLoading(on: boolean): void {
    this.isLoading = on
    this.guard()
  }

  /** This server became a primary or a replica, or may be written to in another way than before. */
  roleChanged(): void {
    const { replication } = this
    this.chooseExpiry()
    replication.listen()
    this.guard()
  }

  /**
   * What becomes of expired keys: a replica keeps them for its primary to delete, and so does a
   * paused server.
   */
  chooseExpiry(): void {
    const { keyspace, replication, config, pause } = this
    if (pause.isOn) keyspace.state.expiry = 'hide'
    else if (replication.link === null) keyspace.state.expiry = 'delete'
    else keyspace.state.expiry = config.replicaReadOnly ? 'hide' : 'hide-from-reads'
  }

  configChanged(name: string): void {
    if (name === 'requirepass') this.acl.passwordChanged()
    if (name === 'appendonly') this.persistence.appendonlyChanged()
    if (name === 'save') this.persistence.listen()
    if (name.startsWith('min-')) this.replication.replicas.countGood()
    if (/^(min-|(replica|slave)-read-only)/.test(name)) this.roleChanged()
  }

  /** Whether commands must be looked at closely before they are executed. */
  private guard(): void {
    const { replication, config, isLoading } = this
    this.isGuarded = isLoading || replication.link !== null || config.minReplicasToWrite !== 0
  }

  /**
   * Clients that wait are told that this server is another one now. Source:
   * disconnectAllBlockedClients of Redis 7.0.
   */
  disconnectBlocked(): void {
    for (const connection of [...this.connections.values()]) connection.endWaiting(roleHasChanged)
  }

  /**
   * A client connected. Encoded reply bytes go to `peer.write`, in order; `peer.close` says that
   * the server hangs up.
   */
  connect(peer: Peer): RedisConnection {
    const connection = new RedisConnection(this, this.nextConnectionId++, peer)
    this.connections.set(connection.id, connection)
    this.connectionsReceived++
    return connection
  }

  /** Somebody connects to one of its ports; null where nobody listens. */
  acceptAt(port: number, peer: Peer & BusPeer): RedisConnection | InboundLink | null {
    if (port === this.config.port) return this.connect(peer)
    return port === this.cluster?.busPort ? this.cluster.accept(peer) : null
  }

  /** The commands that this kind of server knows; a Sentinel knows others. */
  findCommand(name: string): Command | undefined {
    return findCommand(name)
  }

  /** Sets the time that commands see, in milliseconds, from the environment's clock. */
  readClock(): number {
    const nowUs = this.environment.nowUs()
    assert(Number.isSafeInteger(nowUs), 'the clock of a server shows whole microseconds')
    return (this.keyspace.state.nowMs = Math.floor(nowUs / 1000))
  }

  /**
   * What a real server's background cycle does; virtual time has none (see keyspace/database.ts).
   */
  dropExpired(): void {
    this.readClock()
    for (const database of this.keyspace.used()) database.dropExpired()
    this.propagation.flush(false)
    this.serveBlocked()
    this.stepUnblocked()
    this.tracking.broadcast()
  }

  /** Serves blocked clients from the keys that changed, until serving them changes no more keys. */
  serveBlocked(): void {
    const { state } = this.keyspace
    for (let next = state.ready.shift(); next !== undefined; next = state.ready.shift()) {
      next.database.waiters.serve(next.key)
    }
  }

  /**
   * A connection goes on with what it had sent, as soon as the one that executes now has no more to
   * execute.
   */
  unblocked(connection: RedisConnection): void {
    assert(connection.server === this, 'a server goes on with connections that it accepted')
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

  /** Functions have a Lua of their own. Made when the first library is loaded. */
  get functionHost(): ScriptHost {
    return (this.hostOfFunctions ??= new ScriptHost(this))
  }

  /**
   * Deletes keys that nobody asked to delete, as an evicting maxmemory-policy does; answers which.
   */
  evict(chosen: (key: string) => boolean): string[] {
    this.readClock()
    const gone: string[] = []
    // A replica leaves that to its primary.
    if (this.replication.link !== null) return gone
    for (const database of this.keyspace.used()) {
      for (const key of [...database.entries.keys()].filter(chosen)) {
        database.remove(key)
        database.touched(key, 'e', 'evicted')
        if (this.propagation.active) this.recordDeletion(database, key, this.config.lazyfreeLazyEviction)
        gone.push(key)
      }
    }
    this.evictedKeys += gone.length
    this.propagation.flush(false)
    this.tracking.broadcast()
    return gone
  }

  private recordDeletion(database: Database, key: string, lazy: boolean): void {
    this.propagation.also(database.index, [lazy ? 'UNLINK' : 'DEL', key])
  }

  /** 40 hex digits, drawn by chance. */
  hexId(): string {
    let id = ''
    while (id.length < 40) id += this.environment.random(65536).toString(16).padStart(4, '0')
    assert(id.length === 40, 'chance gives numbers of the range that was asked for')
    return id
  }
}
