/**
 * One server's part in replication: the name and length of its data set's history, the stream of
 * it, the primary that it follows and the replicas that follow it. Source: replication.c of Redis
 * 7.0.15.
 *
 * Fault model: that of the wires and connections it uses, which the owner of the network breaks;
 * time passes in a full resync as long as the configuration says. Left out: SYNC without PSYNC, the
 * way over a file, loading straight from the socket (repl-diskless-load), FAILOVER, and limits on
 * output buffers.
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
  /** Names the data set's history; a replica that is promoted gives it another one. */
  id: string
  /** What it was called before, and the first offset that was never told under that name. */
  id2 = noHistory
  secondOffset = -1
  backlog: Backlog | null = null
  /** The primary that this server follows; null for a primary. */
  link: PrimaryLink | null = null
  /** How it stood with that primary when this server took its place; null where it never did. */
  ledFrom: LinkState | null = null
  /** Whether any primary has given this process its data, or the rest of them. */
  hasSynced = false
  readonly replicas: Replicas
  readonly cron: Cron
  /** The database that the stream has selected. */
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

  /** One effect of a command; what belongs together goes out together. */
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

  /** The next bytes of the history, own or passed on from the primary. */
  append(bytes: string): void {
    this.server.replicationOffset += bytes.length
    this.backlog!.append(bytes, this.server.config.replBacklogSize)
    this.replicas.feed(bytes)
  }

  /** Commands that touch no key: they go wherever the stream is. */
  private feedAlone(words: readonly string[]): void {
    if (this.link !== null || this.backlog === null) return
    this.outgoing += encodeCommand(words)
    this.sendOutgoing()
  }

  /** Every replica is to say at once how far it is. */
  askForAcknowledgements(): void {
    this.feedAlone(['REPLCONF', 'GETACK', '*'])
  }

  /** The stream from that offset of that history on; undefined where this server cannot give it. */
  streamFrom(historyId: string, offset: number): string | undefined {
    const asked = historyId.toLowerCase()
    if (asked !== this.id && (asked !== this.id2 || offset > this.secondOffset)) return undefined
    return this.backlog?.from(offset)
  }

  /** The next command is preceded by a SELECT, whatever was selected before. */
  selectAnew(): void {
    this.selected = -1
  }

  /** What was not kept is no history: with the first replica a new one begins. */
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

  /** A primary that has lost its last replica keeps its history for a while. */
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
   * What a snapshot says of the history that its data set is the state of; null where there is none
   * to go on with.
   */
  get rememberedAs(): Position | null {
    const { id, link, backlog } = this
    const offset = this.server.replicationOffset
    if (link === null) return backlog === null ? null : { id, offset, database: Math.max(0, this.selected) }
    const { position } = link
    return position === null ? null : { id, offset, database: Math.max(0, position.database) }
  }

  /** At a start from a snapshot. Its history is a primary's past, and may go on for a replica. */
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

  /** A key of the snapshot had expired before it was read. */
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
    // A primary that turns replica may go on from its own end, if the new primary shares its past.
    if (before === null) this.link.believe({ id: this.id, offset: server.replicationOffset, database: -1 })
    this.link.turnTo(host, port)
    this.cron.wake()
  }

  /** A server that starts as a replica goes on from its snapshot, if that tells where it was. */
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

  /** Only a primary propagates effects of its own; a replica passes on what it receives. */
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

/** `host port`, as redis.conf has it. */
export function hostAndPort(text: string): [host: string, port: number] {
  const [host, port] = text.split(' ') as [string, string]
  return [host, Number(port)]
}
