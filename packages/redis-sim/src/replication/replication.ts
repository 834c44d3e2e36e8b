/**
 * One server's part in replication: the id and length of its history, the stream, its primary, and
 * its replicas. Source: replication.c of Redis 7.0.15.
 *
 * Fault model: the owner of the network can break the wires and connections. The
 * duration of a full resync is configured. Not simulated: SYNC without PSYNC, replication through a
 * file, repl-diskless-load, FAILOVER, and output buffer limits.
 */
import type { Database } from '../keyspace/database.ts'
import { encodeCommand } from '../resp/encode-command.ts'
import type { RedisServer } from '../server.ts'
import { Backlog } from './backlog.ts'
import { Cron } from './cron.ts'
import { type LinkState, PrimaryLink } from './primary-link.ts'
import type { Position } from './primary-stream.ts'
import { Replicas } from './replicas.ts'

const noHistory = '0'.repeat(40)

export class Replication {
  /** Identifies the history of the data set; a promoted replica gets a new one. */
  id: string
  /** The previous id, and the first offset that is not part of that history. */
  id2 = noHistory
  secondOffset = -1
  backlog: Backlog | null = null
  /** The link to the primary that this server follows; null for a primary. */
  link: PrimaryLink | null = null
  /**
   * State of the link to the old primary when this server was promoted; null if it was never
   * promoted.
   */
  ledFrom: LinkState | null = null
  /** True if this process has synced with a primary, fully or partially. */
  hasSynced = false
  readonly replicas: Replicas
  readonly cron: Cron
  /** The database selected in the stream. */
  private selected = -1
  private outgoing = ''
  private restored: Position | null = null
  private forgetHistory: (() => void) | null = null

  constructor(private readonly server: RedisServer) {
    this.id = server.hexId()
    this.replicas = new Replicas(server)
    this.cron = new Cron(server, (second) => this.tick(second))
  }

  get role(): 'master' | 'slave' {
    return this.link === null ? 'master' : 'slave'
  }

  /** Adds one effect of a command. All effects of a command are sent together. */
  private feed(database: number, words: readonly string[]): void {
    if (this.selected !== database) this.outgoing += encodeCommand(['SELECT', String(database)])
    this.selected = database
    this.outgoing += encodeCommand(words)
  }

  private sendOutgoing(): void {
    const { outgoing } = this
    this.outgoing = ''
    if (outgoing !== '') this.append(outgoing)
  }

  /** Appends bytes to the history; they were generated here or received from the primary. */
  append(bytes: string): void {
    this.server.replicationOffset += bytes.length
    this.backlog!.append(bytes, this.server.config.replBacklogSize)
    this.replicas.feed(bytes)
  }

  /** Sends a command without keys, which needs no SELECT. */
  private feedAlone(words: readonly string[]): void {
    if (this.link !== null || this.backlog === null) return
    this.outgoing += encodeCommand(words)
    this.sendOutgoing()
  }

  /** Asks all replicas for an immediate acknowledgment. */
  askForAcknowledgements(): void {
    this.feedAlone(['REPLCONF', 'GETACK', '*'])
  }

  /**
   * The stream from that offset of that history; undefined if this server does not have these
   * bytes.
   */
  streamFrom(historyId: string, offset: number): string | undefined {
    const asked = historyId.toLowerCase()
    if (asked !== this.id && (asked !== this.id2 || offset > this.secondOffset)) return undefined
    return this.backlog?.from(offset)
  }

  /** Adds a SELECT before the next command, even if the database is already selected. */
  selectAnew(): void {
    this.selected = -1
  }

  /**
   * Called for the first replica. Begins a new history, because the earlier stream was not kept.
   */
  beginHistory(): void {
    if (this.backlog !== null) return
    this.rename()
    this.keepHistory()
  }

  keepHistory(): void {
    this.backlog ??= new Backlog(this.server.replicationOffset + 1)
    this.listen()
  }

  dropHistory(): void {
    this.backlog = null
    this.listen()
  }

  private rename(): void {
    this.id = this.server.hexId()
    this.forgetOldName()
  }

  forgetOldName(): void {
    this.id2 = noHistory
    this.secondOffset = -1
  }

  /** A primary that lost its last replica keeps its history for repl-backlog-ttl. */
  withoutReplicas(): void {
    this.forgetHistory?.()
    const { replBacklogTtl } = this.server.config
    if (this.link !== null || this.backlog === null || replBacklogTtl === 0) return
    const drop = () => {
      if (this.link !== null || this.replicas.list.length > 0) return
      this.rename()
      this.dropHistory()
    }
    this.forgetHistory = this.server.after(replBacklogTtl * 1_000_000, drop, true)
  }

  /**
   * The position in the history that a snapshot stores; null if the history cannot be continued
   * from there.
   */
  get rememberedAs(): Position | null {
    const { id, link, backlog } = this
    const offset = this.server.replicationOffset
    if (link === null) return backlog === null ? null : { id, offset, database: Math.max(0, this.selected) }
    const { position } = link
    return position === null ? null : { id, offset, database: Math.max(0, position.database) }
  }

  /**
   * Called at a start from a snapshot. On a primary, the stored history becomes the previous one; a
   * replica may continue the stored history.
   */
  remember(position: Position, leads: boolean): void {
    const { id, offset } = position
    this.server.replicationOffset = offset
    if (!leads) {
      this.id = id
      this.restored = position
      return
    }
    this.id2 = id
    this.secondOffset = offset + 1
    this.keepHistory()
    this.withoutReplicas()
  }

  /** Propagates the deletion of a key that had expired before the snapshot was loaded. */
  recordExpired(database: Database, key: string): void {
    if (this.backlog === null) return
    this.feed(database.index, [this.server.config.lazyfreeLazyExpire ? 'UNLINK' : 'DEL', key])
    this.sendOutgoing()
  }

  follow(host: string, port: number): void {
    const { server } = this
    if (server.environment.wires === undefined) server.environment.unsupported('REPLICAOF without a network')
    const before = this.link
    this.link = before ?? new PrimaryLink(server)
    server.config.replicaof = `${host} ${port}`
    server.roleChanged()
    server.disconnectBlocked()
    // A primary that becomes a replica may continue from its offset if the new primary shares its
    // history.
    if (before === null) this.link.believe({ id: this.id, offset: server.replicationOffset, database: -1 })
    this.link.turnTo(host, port)
    this.cron.wake()
  }

  /**
   * Called if the server starts as a replica. It continues from its snapshot if the snapshot
   * contains a position.
   */
  startFollowing(host: string, port: number): void {
    const { server, restored } = this
    this.link = new PrimaryLink(server)
    server.roleChanged()
    if (restored !== null) this.link.believe(restored)
    this.link.turnTo(host, port)
    this.cron.wake()
  }

  lead(): void {
    if (this.link === null) return
    const { server } = this
    this.ledFrom = this.link.state
    this.link.stop()
    this.link = null
    server.config.replicaof = ''
    this.id2 = this.id
    this.secondOffset = server.replicationOffset + 1
    this.id = server.hexId()
    this.replicas.disconnectAll()
    this.selectAnew()
    server.roleChanged()
    this.withoutReplicas()
  }

  /**
   * Sets the listener for effects. Only a primary propagates its own effects; a replica passes on
   * the stream that it receives.
   */
  listen(): void {
    const { propagation } = this.server
    const reports = this.link === null && this.backlog !== null
    propagation.listen('replicas', reports ? (database, words) => this.feed(database, words) : null)
    propagation.flushed = reports ? () => this.sendOutgoing() : null
  }

  private tick(second: number): boolean {
    const { server, replicas, link } = this
    const nowMs = server.readClock()
    link?.tick(nowMs)
    if (replicas.list.length > 0) {
      if (link === null) server.dropExpired()
      if (second % server.config.replPingReplicaPeriod === 0) this.feedAlone(['PING'])
    }
    replicas.tick(nowMs)
    return this.link !== null || replicas.list.length > 0
  }

  shutdown(): void {
    this.link?.stop()
    this.replicas.stop()
  }
}

/** Parses `host port` of redis.conf. */
export function hostAndPort(text: string): [host: string, port: number] {
  const [host, port] = text.split(' ') as [string, string]
  return [host, Number(port)]
}
