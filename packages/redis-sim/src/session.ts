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

/** The way to a client outside of the replies to its commands. */
export interface Outlet {
  push(reply: Reply): void
  /** Bytes as they are. */
  write(bytes: string): void
  hangUp(): void
}

/** Of scripts and of what a server reads from its disk or its primary. */
const nobody: Outlet = { push() {}, write() {}, hangUp() {} }

/**
 * What a server knows of the sender of commands: a client, or the running script on behalf of one.
 */
export class Session {
  database: Database
  resp: 2 | 3 = 2
  name = ''
  authenticated: boolean
  user: User
  /** The command being executed, or the last one. */
  command: Command | undefined = undefined
  /** What the client sent last: EXEC while the commands of its transaction are executed. */
  sent: Command | undefined = undefined
  /** Commands between MULTI and EXEC; null outside. */
  queue: QueuedCommand[] | null = null
  /** A command was refused while queueing: EXEC answers EXECABORT. */
  queueBroken = false
  /** A watched key changed: EXEC answers null. */
  watchBroken = false
  watched: WatchedKey[] = []
  /** EXEC is running, or a script: nothing may block. */
  denyBlocking = false
  /** READONLY: a replica of a Cluster may be read. */
  readsReplica = false
  /** Of the keys of its last command, in a Cluster; -1: none. */
  slot = -1
  closeAfterReply = false
  replies: 'on' | 'off' | 'skip' | 'skip-next' = 'on'
  noEvict = false
  /** MONITOR: it hears of all commands. */
  monitoring = false
  /** CLIENT TRACKING is on. */
  tracked: TrackedClient | null = null
  /** Where its effects go: `redis.set_repl` of scripts. */
  propagates = forBoth
  /** A command that waited is being served. */
  waited = false
  /** The primary, or the append-only file: refused nothing. */
  obeyed = false
  /** Where the replication stream was after its last command: what WAIT waits for. */
  writeOffset = 0
  /** Channels and patterns, made by the first SUBSCRIBE. */
  subscribed: Subscribed | null = null
  /** What REPLCONF said, and what PSYNC made of the client. */
  introduction: ReplicaIntroduction | null = null
  replica: AttachedReplica | null = null

  constructor(
    readonly server: RedisServer,
    /** 0 for scripts. */
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

  /** Ends MULTI without executing: DISCARD, a refused EXEC, RESET, a lost connection. */
  discard(): void {
    this.queue = null
    this.queueBroken = false
    this.watchBroken = false
    this.unwatch()
  }

  /** Neither MONITOR nor CLIENT TRACKING goes on. */
  stopListening(): void {
    this.monitoring = false
    this.server.monitors.remove(this)
    this.server.tracking.disable(this)
  }

  /** RESET, and the state in which every connection begins. */
  reset(): void {
    this.discard()
    this.server.subscriptions.leaveAll(this)
    this.stopListening()
    // CLIENT NO-EVICT stays, as in Redis 7.0.
    this.readsReplica = false
    this.database = this.server.keyspace.select(0)!
    this.resp = 2
    this.name = ''
    this.user = this.server.acl.default
    this.authenticated = !this.server.acl.asksForPassword
    this.replies = 'on'
  }
}
