/**
 * The newest part of the replication stream, for replicas that lost their connection to go on from.
 * It keeps at least as many bytes as repl-backlog-size says, and up to one write more; a real one
 * drops whole blocks of 16 kB or more, and so may keep a little more than this.
 */
export class Backlog {
  private chunks: string[] = []
  /** Those before it are dropped, and cut off when they are many. */
  private head = 0
  /** Bytes that it holds. */
  length = 0

  constructor(
    /** The offset of the first byte that it holds, or will hold. */
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

  /** Everything from that offset on; undefined where it begins later or ends before. */
  from(offset: number): string | undefined {
    if (offset < this.firstOffset || offset > this.firstOffset + this.length) return undefined
    return this.chunks.join('').slice(offset - this.firstOffset)
  }
}
