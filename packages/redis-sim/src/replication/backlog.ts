/**
 * The latest part of the replication stream, from which replicas that lost their connection can
 * continue. It keeps the last repl-backlog-size bytes, and up to one more write. Real Redis drops
 * whole blocks of at least 16 kB, so it may keep slightly more.
 */
export class Backlog {
  private chunks: string[] = []
  /** Index of the first valid chunk. Earlier chunks are dropped, and removed in batches. */
  private head = 0
  /** Number of bytes in the backlog. */
  length = 0

  constructor(
    /**
     * The offset of the first byte in the backlog; if the backlog is empty, the offset of the next
     * byte.
     */
    public firstOffset: number,
  ) {}

  append(bytes: string, size: number): void {
    this.chunks.push(bytes)
    this.length += bytes.length
    while (this.length - this.chunks[this.head]!.length >= size) {
      const { length } = this.chunks[this.head]!
      this.chunks[this.head++] = ''
      this.length -= length
      this.firstOffset += length
    }
    if (this.head < 1024 || this.head * 2 < this.chunks.length) return
    this.chunks = this.chunks.slice(this.head)
    this.head = 0
  }

  /** The bytes from that offset on; undefined if the offset is outside the backlog. */
  from(offset: number): string | undefined {
    if (offset < this.firstOffset || offset > this.firstOffset + this.length) return undefined
    return this.chunks.join('').slice(offset - this.firstOffset)
  }
}
