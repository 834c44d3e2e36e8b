/**
 * A full resync: sends the data set to replicas that cannot continue from their offset. Source:
 * diskless replication of Redis 7.0 (the default): one child process for all waiting replicas, an
 * end mark instead of a length, and a delay before the start to let more replicas join.
 *
 * Fault model: the data set is taken at the beginning and sent in pieces spread over `fullSyncUs`.
 * A replica that disconnects before the end discards the pieces that it received. Not simulated:
 * replication through a file.
 */
import { packDataSet } from '../persistence/snapshot.ts'
import type { RedisServer } from '../server.ts'
import type { AttachedReplica } from './attached-replica.ts'

const pieces = 4

export class FullSync {
  private cancel = () => {}
  private receivers: readonly AttachedReplica[]

  private constructor(
    private readonly server: RedisServer,
    receivers: readonly AttachedReplica[],
    private readonly done: () => void,
  ) {
    this.receivers = receivers
  }

  /**
   * Starts to send the current data set to all receivers. `done` may be called before `begin`
   * returns.
   */
  static begin(server: RedisServer, receivers: readonly AttachedReplica[], done: () => void): FullSync {
    const sync = new FullSync(server, receivers, done)
    const { replication } = server
    for (const replica of receivers) {
      replica.hold()
      replica.session.outlet.write(`+FULLRESYNC ${replication.id} ${server.replicationOffset}\r\n`)
    }
    const mark = server.hexId()
    const payload = packDataSet(server)
    sync.write(`$EOF:${mark}\r\n`)
    sync.send(`${payload}${mark}`, 0)
    return sync
  }

  /** Removes a replica that disconnected; true if no receivers are left. */
  forget(replica: AttachedReplica): boolean {
    this.receivers = this.receivers.filter((other) => other !== replica)
    if (this.receivers.length > 0) return false
    this.cancel()
    return true
  }

  stop(): void {
    this.cancel()
  }

  abort(): void {
    this.cancel()
    for (const replica of this.receivers) replica.session.outlet.hangUp()
  }

  private send(payload: string, piece: number): void {
    const { fullSyncUs } = this.server.config
    if (fullSyncUs === 0) return this.finish(payload)
    const size = Math.ceil(payload.length / pieces)
    this.cancel = this.server.after(Math.ceil(fullSyncUs / pieces), () => {
      const bytes = payload.slice(piece * size, (piece + 1) * size)
      if (piece + 1 === pieces) return this.finish(bytes)
      this.write(bytes)
      this.send(payload, piece + 1)
    })
  }

  private finish(bytes: string): void {
    const nowMs = this.server.readClock()
    // Called before the last bytes are written, because a receiver may acknowledge them before
    // `write` returns.
    for (const replica of this.receivers) replica.sent(nowMs)
    this.done()
    this.write(bytes)
  }

  private write(bytes: string): void {
    for (const replica of [...this.receivers]) replica.session.outlet.write(bytes)
  }
}
