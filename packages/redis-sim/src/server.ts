/**
 * A simulated Redis 7.0.15 server: keyspace, clients and script cache, as one synchronous state
 * machine.
 *
 * Fault model: the server injects no faults. A command is executed completely in the turn that
 * calls `step`, and never fails for lack of memory or disk. The owner of the connections decides
 * when commands arrive and whether replies arrive. Not simulated: memory use (see limitMemory in
 * commands/config.ts), LFU policies, modules, MIGRATE, DEBUG, ACL files, the iteration order of
 * real hash tables (so DUMP of a hash table differs), and background expiry (see
 * keyspace/database.ts). A command that is not simulated is answered like an unknown command and
 * reported through `environment.unsupported`.
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

/** State that a server has at its start. */
export interface ServerStart {
  /** The contents of the server's disk. */
  readonly image?: DurableImage | null | undefined
  /** The saved view of the Cluster (`cluster.saved`). Without it, a Cluster node starts alone. */
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
  /** Identifies this run of the server; new at every start. 40 hex digits. */
  readonly runId: string
  readonly startedMs: number
  /**
   * The running script that takes longer than busy-reply-threshold, so that other clients are
   * answered BUSY; null if no script runs for that long.
   */
  longScript: LongScript | null = null
  commandsExecuted = 0
  evictedKeys = 0
  connectionsReceived = 0
  /** Values from CONFIG SET of parameters without effect, for CONFIG GET. */
  readonly inertParameters = new Map<string, string>()
  readonly subscriptions = new Subscriptions()
  readonly monitors = new Monitors()
  readonly tracking = new Tracking(this)
  readonly errorCounts = new ErrorCounts()
  readonly commandCounts = new CommandCounts()
  readonly slowLog = new SlowLog(this)
  readonly pause: Pause = new Pause(this)
  readonly propagation = new Propagation()
  /** Position in the replication stream, in bytes. */
  replicationOffset = 0
  readonly replication: Replication
  readonly persistence: Persistence
  readonly waits = new Waits(this)
  readonly acl: Acl
  /** Null if `cluster-enabled` is `no`. */
  readonly cluster: Cluster | null
  /** The saved configuration, with which a restarted server begins. */
  savedConfig: Partial<RedisConfig>
  isLoading = false
  /** True if commands may be refused for reasons other than a degraded state: see `guard`. */
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
   * The contents of the disk after the process or the machine died, for the next server that starts
   * on the disk; null if the disk is empty. The death of the process loses nothing that was
   * written; the death of the machine loses everything that was not synced.
   */
  durableImage(lost: 'process' | 'machine' = 'machine'): DurableImage | null {
    return this.persistence.image(lost)
  }

  /** Identifies the history of the data set. */
  get replicationId(): string {
    return this.replication.id
  }

  /**
   * Runs the callback after a delay in microseconds of the server's clock, unless the server was
   * shut down. Returns the function that cancels the timer.
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

  /** Called when the process died: stops all activity. */
  shutdown(): void {
    this.replication.shutdown()
    this.cluster?.shutdown()
    for (const cancel of this.timers) cancel()
    this.timers.clear()
    for (const connection of [...this.connections.values()]) connection.close()
  }

  /**
   * Called before the clock jumps, before the process is frozen, and when the server received work.
   * Only Sentinels override this method.
   */
  recheckTimers(): void {}

  /**
   * Called with true when the server starts to load a data set, and with false at the end. During
   * loading, almost all commands are refused.
   */
  setLoading(on: boolean): void {
    this.isLoading = on
    this.guard()
  }

  /**
   * Called when the server became a primary or a replica, or when the conditions for writes
   * changed.
   */
  roleChanged(): void {
    const { replication } = this
    this.chooseExpiry()
    replication.listen()
    this.guard()
  }

  /**
   * Chooses how expired keys are handled. A paused server hides them; a replica hides them, at
   * least from reads; a primary deletes them.
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

  /** Updates whether commands must be checked before execution. */
  private guard(): void {
    const { replication, config, isLoading } = this
    this.isGuarded = isLoading || replication.link !== null || config.minReplicasToWrite !== 0
  }

  /**
   * Answers blocked clients with an error, because the role of this server changed. Source:
   * disconnectAllBlockedClients of Redis 7.0.
   */
  disconnectBlocked(): void {
    for (const connection of [...this.connections.values()]) connection.endWaiting(roleHasChanged)
  }

  /**
   * Accepts a client. Encoded reply bytes go to `peer.write`, in order; the server calls
   * `peer.close` to close the connection.
   */
  connect(peer: Peer): RedisConnection {
    const connection = new RedisConnection(this, this.nextConnectionId++, peer)
    this.connections.set(connection.id, connection)
    this.connectionsReceived++
    return connection
  }

  /**
   * Accepts a connection to one of the server's ports; null if the server does not listen on the
   * port.
   */
  acceptAt(port: number, peer: Peer & BusPeer): RedisConnection | InboundLink | null {
    if (port === this.config.port) return this.connect(peer)
    return port === this.cluster?.busPort ? this.cluster.accept(peer) : null
  }

  /** Looks up a command. Sentinels override this method, because they have other commands. */
  findCommand(name: string): Command | undefined {
    return findCommand(name)
  }

  /** Reads the environment's clock and sets the time that commands see, in milliseconds. */
  readClock(): number {
    const nowUs = this.environment.nowUs()
    assert(Number.isSafeInteger(nowUs), 'the clock of a server shows whole microseconds')
    return (this.keyspace.state.nowMs = Math.floor(nowUs / 1000))
  }

  /**
   * Deletes all expired keys, like the background cycle of a real server. No timer calls this in
   * virtual time (see keyspace/database.ts).
   */
  dropExpired(): void {
    this.readClock()
    for (const database of this.keyspace.used()) database.dropExpired()
    this.propagation.flush(false)
    this.serveBlocked()
    this.stepUnblocked()
    this.tracking.broadcast()
  }

  /**
   * Serves blocked clients from the keys that changed. Serving may change further keys, so the loop
   * ends when no changed key is left.
   */
  serveBlocked(): void {
    const { state } = this.keyspace
    for (let next = state.ready.shift(); next !== undefined; next = state.ready.shift()) {
      next.database.waiters.serve(next.key)
    }
  }

  /**
   * Resumes the queued commands of a connection after the current connection has executed all
   * commands that it received.
   */
  unblocked(connection: RedisConnection): void {
    assert(connection.server === this, 'a server goes on with connections that it accepted')
    this.toStep.push(connection)
  }

  stepUnblocked(): void {
    for (let next = this.toStep.shift(); next !== undefined; next = this.toStep.shift()) while (next.step());
  }

  /** Publishes key events as notify-keyspace-events specifies. */
  listenToKeys(): void {
    this.keyspace.state.notify = keyspaceEvents(this.config.notifyKeyspaceEvents, this.subscriptions)
  }

  /**
   * The number of live keys in all databases. `withoutExpiry` is the number of those without a
   * deadline.
   */
  countKeys(): { keys: number; withoutExpiry: number } {
    return this.keyspace.countKeys(this.readClock())
  }

  /** All live keys in canonical order, as plain JSON, for digests and for output. */
  describeKeys(): KeyDescription[] {
    return this.keyspace.describe(this.readClock())
  }

  /** The host of scripts. It is created when the first script runs. */
  get scriptHost(): ScriptHost {
    return (this.host ??= new ScriptHost(this))
  }

  /**
   * The host of functions, with its own Lua state. It is created when the first library is loaded.
   */
  get functionHost(): ScriptHost {
    return (this.hostOfFunctions ??= new ScriptHost(this))
  }

  /** Evicts the chosen keys, as a maxmemory-policy would; returns the evicted keys. */
  evict(chosen: (key: string) => boolean): string[] {
    this.readClock()
    const gone: string[] = []
    // A replica does not evict; its primary does.
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

  /** 40 random hex digits. */
  hexId(): string {
    let id = ''
    while (id.length < 40) id += this.environment.random(65536).toString(16).padStart(4, '0')
    assert(id.length === 40, 'a random number is in the requested range')
    return id
  }
}
