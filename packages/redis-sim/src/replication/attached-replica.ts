import type { Session } from '../session.ts'

/** Data that a client sent with REPLCONF before it became a replica. */
export class ReplicaIntroduction {
  port = 0
  /**
   * The announced address; undefined if the replica announced none. Then the address of its
   * connection is used.
   */
  address: string | undefined
  /** True if the replica accepts data sets of unknown length. */
  takesStreams = false
  /** True if the replica supports PSYNC2, by which a history may get a new id. */
  knowsTwoIds = false
}

/**
 * `wait-start`: the replica waits for a full resync; `wait-end`: it receives the data set;
 * `online`: the data set was sent (but perhaps not acknowledged yet), or the replica continues from
 * its offset.
 */
export type ReplicaState = 'wait-start' | 'wait-end' | 'online'

/** A replica, as seen by its primary. Times are in milliseconds of the primary's clock. */
export class AttachedReplica {
  state: ReplicaState = 'wait-start'
  /** The offset that the replica last acknowledged; initially 0, as in real Redis. */
  ackedOffset = 0
  ackedMs = 0
  /**
   * The part of the stream since the data set was taken, which is held back until the first
   * acknowledgment; null when the stream is no longer held back.
   */
  private held: string | null = null

  constructor(
    readonly session: Session,
    readonly introduction: ReplicaIntroduction,
    readonly since: number,
  ) {}

  get address(): string {
    return this.introduction.address ?? this.session.address.replace(/:\d+$/, '')
  }

  /**
   * Sends the next bytes of the stream, or holds them back. A replica that waits for a full resync
   * does not need them.
   */
  feed(bytes: string): void {
    if (this.state === 'wait-start') return
    if (this.held === null) this.session.outlet.write(bytes)
    else this.held += bytes
  }

  /** Starts to hold back the stream. */
  hold(): void {
    this.state = 'wait-end'
    this.held = ''
  }

  /**
   * Called when the data set was sent completely. The stream follows after the first
   * acknowledgment.
   */
  sent(nowMs: number): void {
    this.state = 'online'
    this.ackedMs = nowMs
  }

  /** Partial resync: continues with `bytes`. */
  goOn(bytes: string, nowMs: number): void {
    this.state = 'online'
    this.ackedMs = nowMs
    this.session.outlet.write(bytes)
  }

  acknowledge(offset: number, nowMs: number): void {
    if (offset > this.ackedOffset) this.ackedOffset = offset
    this.ackedMs = nowMs
    if (this.held === null || this.state !== 'online') return
    const { held } = this
    this.held = null
    if (held !== '') this.session.outlet.write(held)
  }

  /**
   * True if an acknowledgment of this offset contains nothing new, so that it only keeps the
   * connection alive.
   */
  heardBefore(offset: number): boolean {
    return this.state === 'online' && this.held === null && this.ackedOffset === offset
  }

  /**
   * Seconds since the last acknowledgment, by a clock with a resolution of one second, as in Redis.
   */
  lagSeconds(nowMs: number): number {
    return this.state === 'online' ? Math.floor(nowMs / 1000) - Math.floor(this.ackedMs / 1000) : 0
  }
}
