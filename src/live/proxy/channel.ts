/** What was read from a socket in one go, and when (milliseconds of `performance.now`). */
export interface Chunk {
  readonly bytes: Buffer
  readonly at: number
}

/**
 * Chunks on their way from one stage to the next, in order. It never refuses a chunk: whoever pushes asks `isFull` and
 * waits for `onRoom`, so that a reader that is slow slows the sender down, and nothing is lost when it is interrupted.
 */
export class Channel {
  onArrival: () => void = () => {}
  onRoom: () => void = () => {}
  private readonly chunks: Chunk[] = []
  private ended = false

  /** `capacity`: chunks that wait before it counts as full. */
  constructor(private readonly capacity: number) {}

  get isFull(): boolean {
    return this.chunks.length > this.capacity
  }

  push(chunk: Chunk): void {
    this.chunks.push(chunk)
    this.onArrival()
  }

  /** No chunk follows. */
  end(): void {
    this.ended = true
    this.onArrival()
  }

  /** The next chunk; 'end' after the last one, for ever; undefined while there is none. */
  shift(): Chunk | 'end' | undefined {
    const chunk = this.chunks.shift()
    if (chunk === undefined) return this.ended ? 'end' : undefined
    this.onRoom()
    return chunk
  }

  /** All that waits in another channel, behind what waits here. */
  absorb(other: Channel): void {
    for (let chunk = other.chunks.shift(); chunk !== undefined; chunk = other.chunks.shift()) this.push(chunk)
    if (other.ended) this.end()
  }
}
