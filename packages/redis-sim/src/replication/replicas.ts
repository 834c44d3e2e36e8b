/**
 * The replicas of a server, from PSYNC to the end of their connections. Source: the primary's half
 * of replication.c of Redis 7.0.
 */
import { type NoReply, noReply } from '../command.ts'
import type { RedisServer } from '../server.ts'
import type { Session } from '../session.ts'
import { AttachedReplica, ReplicaIntroduction } from './attached-replica.ts'
import { FullSync } from './full-sync.ts'

export class Replicas {
  /** The replicas in the order in which they sent PSYNC. */
  list: AttachedReplica[] = []
  /**
   * Number of replicas with an acceptable lag, for min-replicas-to-write. Updated once a second, as
   * in real Redis.
   */
  good = 0
  syncFull = 0
  syncPartialOk = 0
  syncPartialErr = 0
  private sync: FullSync | null = null

  constructor(private readonly server: RedisServer) {}

  /** Called when a client sent PSYNC: the client becomes a replica. */
  attach(session: Session, historyId: string, offset: number): NoReply {
    const { server } = this
    const replica = new AttachedReplica(session, session.introduction ?? new ReplicaIntroduction(), server.readClock())
    session.replica = replica
    const missing = server.replication.streamFrom(historyId, offset)
    this.list.push(replica)
    if (missing !== undefined) {
      this.syncPartialOk++
      const name = replica.introduction.knowsTwoIds ? ` ${server.replication.id}` : ''
      replica.goOn(`+CONTINUE${name}\r\n${missing}`, server.readClock())
      this.changed()
    } else {
      if (historyId[0] !== '?') this.syncPartialErr++
      this.syncFull++
      server.replication.beginHistory()
      if (server.config.replDisklessSyncDelay === 0) this.beginSync()
    }
    server.replication.cron.wake()
    return noReply
  }

  /** Called when the connection of a replica ended. */
  detach(replica: AttachedReplica): void {
    this.list = this.list.filter((other) => other !== replica)
    if (this.sync?.forget(replica)) this.sync = null
    this.countGood()
    if (this.list.length === 0) this.server.replication.withoutReplicas()
  }

  /** Disconnects the replicas, because the history got a new id or was replaced. */
  disconnectAll(): void {
    for (const replica of [...this.list]) replica.session.outlet.hangUp()
  }

  feed(bytes: string): void {
    for (const replica of [...this.list]) replica.feed(bytes)
  }

  countAcknowledged(offset: number): number {
    let count = 0
    for (const { state, ackedOffset } of this.list) if (state === 'online' && ackedOffset >= offset) count++
    return count
  }

  countGood(): void {
    const { minReplicasToWrite, minReplicasMaxLag } = this.server.config
    if (minReplicasToWrite === 0 || minReplicasMaxLag === 0) return
    const nowMs = this.server.readClock()
    this.good = this.list.filter(
      (replica) => replica.state === 'online' && replica.lagSeconds(nowMs) <= minReplicasMaxLag,
    ).length
  }

  /**
   * Called when a replica came online. The replica counts as having acknowledged offset 0, which is
   * enough for clients in WAIT that wait for offset 0.
   */
  private changed(): void {
    this.countGood()
    this.server.waits.check()
  }

  get enoughToWrite(): boolean {
    const { minReplicasToWrite, minReplicasMaxLag } = this.server.config
    return minReplicasToWrite === 0 || minReplicasMaxLag === 0 || this.good >= minReplicasToWrite
  }

  /** Called once a second. */
  tick(nowMs: number): void {
    const { replTimeout, replDisklessSyncDelay } = this.server.config
    for (const replica of [...this.list]) {
      if (replica.state === 'wait-start') replica.session.outlet.write('\n')
      else if (replica.state === 'online' && replica.lagSeconds(nowMs) > replTimeout) replica.session.outlet.hangUp()
    }
    const waited = Math.max(
      -1,
      ...this.waiting().map(({ since }) => Math.floor(nowMs / 1000) - Math.floor(since / 1000)),
    )
    if (waited >= replDisklessSyncDelay) this.beginSync()
    this.countGood()
  }

  /** True if a data set is being sent. */
  get isSyncing(): boolean {
    return this.sync !== null
  }

  stop(): void {
    this.sync?.stop()
  }

  /** Called by FLUSHALL: aborts an outdated full resync, whose replicas must reconnect. */
  abortSync(): void {
    const { sync } = this
    this.sync = null
    sync?.abort()
  }

  private waiting(): AttachedReplica[] {
    return this.list.filter(({ state }) => state === 'wait-start')
  }

  /**
   * Starts a full resync for all waiting replicas. If a full resync or a save is running, `tick`
   * tries again a second later.
   */
  private beginSync(): void {
    if (this.sync !== null || this.server.persistence.isSaving) return
    this.server.replication.selectAnew()
    let over = false
    const sync = FullSync.begin(this.server, this.waiting(), () => {
      over = true
      this.sync = null
      this.changed()
    })
    if (!over) this.sync = sync
  }
}
