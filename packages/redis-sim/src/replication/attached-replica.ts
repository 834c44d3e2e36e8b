import type { Session } from '../session.ts'

/** What a client said of itself by REPLCONF before it became a replica. */
export class ReplicaIntroduction {
  port = 0
  /** Undefined: where its connection comes from. */
  address: string | undefined
  /** It can be sent a data set of unknown length. */
  takesStreams = false
  /** It knows that a data set's history may change its name. */
  knowsTwoIds = false
}

/**
 * `wait-start`: a full resync must begin; `wait-end`: it is being sent the data set; `online`: as
 * far as the primary is concerned it follows, though it may not have asked for the stream yet.
 */
export type ReplicaState = 'wait-start' | 'wait-end' | 'online'

/** A replica as its primary sees it. Times are of the primary's clock. */
export class AttachedReplica {
  state: ReplicaState = 'wait-start'
  /** How much of the stream it said that it has; 0 until it says something, as in real Redis. */
  ackedOffset = 0
  ackedMs = 0
  /**
   * The stream since its data set was taken, until it acknowledges that; null once the stream
   * flows.
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
   * The next bytes of the stream. One that waits for its data set to be taken needs none of them.
   */
  feed(bytes: string): void {
    if (this.state === 'wait-start') return
    if (this.held === null) this.session.outlet.write(bytes)
    else this.held += bytes
  }

  /** From now on the stream is kept for it. */
  hold(): void {
    this.state = 'wait-end'
    this.held = ''
  }

  /** The data set was sent whole; the stream flows with the first acknowledgement. */
  sent(nowMs: number): void {
    this.state = 'online'
    this.ackedMs = nowMs
  }

  /** Without a data set: from `bytes` on. */
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

  /** Whether saying that once more would tell nothing but that it lives. */
  heardBefore(offset: number): boolean {
    return this.state === 'online' && this.held === null && this.ackedOffset === offset
  }

  /** Whole seconds by a clock that ticks in seconds, as Redis counts them. */
  lagSeconds(nowMs: number): number {
    return this.state === 'online' ? Math.floor(nowMs / 1000) - Math.floor(this.ackedMs / 1000) : 0
  }
}
