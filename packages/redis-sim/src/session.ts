import type { User } from './acl/user.ts'
import type { Command } from './command.ts'
import type { Database } from './keyspace/database.ts'
import { WatchedKey } from './keyspace/watch.ts'
import type { Subscribed } from './pubsub/subscriptions.ts'
import type { AttachedReplica, ReplicaIntroduction } from './replication/attached-replica.ts'
import { forBoth } from './replication/propagation.ts'
import type { Reply } from './resp/reply.ts'
import type { RedisServer } from './server.ts'
import type { TrackedClient } from './tracking/tracked-client.ts'

export interface QueuedCommand {
  readonly command: Command
  readonly args: readonly string[]
}

/** Sends output that is not a reply to a client's command. */
export interface Outlet {
  push(reply: Reply): void
  /** Writes raw bytes. */
  write(bytes: string): void
  hangUp(): void
}

/**
 * An outlet that discards everything, for scripts and for commands that a server reads from its
 * disk or its primary.
 */
const nobody: Outlet = { push() {}, write() {}, hangUp() {} }

/** State of the sender of commands: a client, or a running script that acts for a client. */
export class Session {
  database: Database
  resp: 2 | 3 = 2
  name = ''
  authenticated: boolean
  user: User
  /** The command being executed, or the last executed one. */
  command: Command | undefined = undefined
  /**
   * The command that the client sent last. It is EXEC while the commands of the transaction are
   * executed.
   */
  sent: Command | undefined = undefined
  /** Commands queued since MULTI; null outside of a transaction. */
  queue: QueuedCommand[] | null = null
  /** True if a command was refused while it was queued, so that EXEC is answered EXECABORT. */
  queueBroken = false
  /** True if a watched key changed, so that EXEC is answered null. */
  watchBroken = false
  watched: WatchedKey[] = []
  /** True while EXEC or a script runs: commands must not block. */
  denyBlocking = false
  /** True after READONLY: the client may read from a Cluster replica. */
  readsReplica = false
  /** Slot of the keys of the last command in a Cluster; -1 if the command had no keys. */
  slot = -1
  closeAfterReply = false
  replies: 'on' | 'off' | 'skip' | 'skip-next' = 'on'
  noEvict = false
  /** True after MONITOR: the client receives all executed commands. */
  monitoring = false
  /** The state of CLIENT TRACKING; null while tracking is off. */
  tracked: TrackedClient | null = null
  /** The targets to which effects are propagated. Scripts can change them with `redis.set_repl`. */
  propagates = forBoth
  /** True while a blocked command is being served. */
  waited = false
  /**
   * True if the sender is the primary or the append-only file, whose commands are never refused.
   */
  obeyed = false
  /**
   * Offset of the replication stream after the client's last command. WAIT waits for this offset.
   */
  writeOffset = 0
  /** The subscribed channels and patterns; null until the first SUBSCRIBE. */
  subscribed: Subscribed | null = null
  /** Data from REPLCONF, and the replica that PSYNC made of the client. */
  introduction: ReplicaIntroduction | null = null
  replica: AttachedReplica | null = null

  constructor(
    readonly server: RedisServer,
    /** Client id; 0 for scripts and for the append-only file. */
    readonly id: number,
    readonly address: string,
    readonly createdMs: number,
    readonly outlet: Outlet = nobody,
  ) {
    this.database = server.keyspace.select(0)!
    this.user = server.acl.default
    this.authenticated = !server.acl.asksForPassword
  }

  get isSubscriber(): boolean {
    return this.subscribed?.any === true
  }

  watch(key: string): void {
    for (const watched of this.watched) if (watched.key === key && watched.database === this.database) return
    this.watched.push(
      new WatchedKey(this.database, key, () => {
        this.watchBroken = true
      }),
    )
  }

  unwatch(): void {
    for (const watched of this.watched) watched.release()
    if (this.watched.length > 0) this.watched = []
  }

  /**
   * Ends a transaction without executing it: after DISCARD, a refused EXEC, RESET, or a lost
   * connection.
   */
  discard(): void {
    this.queue = null
    this.queueBroken = false
    this.watchBroken = false
    this.unwatch()
  }

  /** Turns off MONITOR and CLIENT TRACKING. */
  stopListening(): void {
    this.monitoring = false
    this.server.monitors.remove(this)
    this.server.tracking.disable(this)
  }

  /** Executes RESET: returns to the initial state of a connection. */
  reset(): void {
    this.discard()
    this.server.subscriptions.leaveAll(this)
    this.stopListening()
    // RESET does not change CLIENT NO-EVICT, as in Redis 7.0.
    this.readsReplica = false
    this.database = this.server.keyspace.select(0)!
    this.resp = 2
    this.name = ''
    this.user = this.server.acl.default
    this.authenticated = !this.server.acl.asksForPassword
    this.replies = 'on'
  }
}
