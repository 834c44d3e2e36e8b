import { parseInt64 } from '../numbers/int64.ts'
import { splitInline } from './inline.ts'

/** A protocol error. The server replies with this text and closes the connection. */
export class ProtocolError {
  constructor(readonly message: string) {}
}

const inlineLimit = 64 * 1024

/**
 * Parses a client's byte stream into commands. The stream may be divided into chunks anywhere.
 * Limits and error texts are those of Redis 7.0. Not simulated: the limit on the whole query buffer
 * (1 GB).
 */
export class RequestParser {
  private buffer = ''
  private at = 0
  /**
   * The command being parsed: its words, the number of missing words, and the announced length of
   * the next word.
   */
  private words: string[] = []
  private missing = 0
  /** Memory in bytes of the words so far, including the overhead of strings. */
  private wordBytes = 0
  private bulkLength = -1
  /** True for an unauthenticated client, which may send at most 10 words of 16 kB. */
  restricted = false

  constructor(private readonly maxBulkBytes: () => number) {}

  /** Number of bytes that do not belong to a returned command. */
  get unparsedBytes(): number {
    return this.missing === 0 ? this.buffer.length - this.at : this.wordBytes + this.buffer.length - this.at
  }

  feed(bytes: string): void {
    this.buffer = this.at === this.buffer.length ? bytes : this.buffer.slice(this.at) + bytes
    this.at = 0
  }

  /** The next complete command; null if more bytes are needed. */
  next(): string[] | ProtocolError | null {
    while (this.missing > 0 || this.at < this.buffer.length) {
      const inline = this.missing === 0 && this.buffer.charCodeAt(this.at) !== 42
      const command = inline ? this.readInline() : this.readMultibulk()
      if (!Array.isArray(command) || command.length > 0) return command
    }
    return null
  }

  private readInline(): string[] | ProtocolError | null {
    const newline = this.buffer.indexOf('\n', this.at)
    // Real Redis searches for the end of the line only up to the first zero byte.
    if (newline === -1 || this.buffer.slice(this.at, newline).includes('\0')) {
      return this.buffer.length - this.at > inlineLimit ? new ProtocolError('too big inline request') : null
    }
    const end = newline > this.at && this.buffer[newline - 1] === '\r' ? newline - 1 : newline
    const words = splitInline(this.buffer.slice(this.at, end))
    if (words === null) return new ProtocolError('unbalanced quotes in request')
    this.at = newline + 1
    return words
  }

  /**
   * Reads a command in RESP. Returns an empty array for a command without words, which Redis skips.
   */
  private readMultibulk(): string[] | ProtocolError | null {
    if (this.missing === 0) {
      const count = this.readLength('too big mbulk count string')
      if (typeof count !== 'number') return count
      if (Number.isNaN(count) || count > 0x7fffffff) return new ProtocolError('invalid multibulk length')
      if (count > 10 && this.restricted) return new ProtocolError('unauthenticated multibulk length')
      if (count <= 0) return []
      this.missing = count
      this.words = []
      this.wordBytes = 0
    }
    while (this.missing > 0) {
      if (this.bulkLength === -1) {
        const problem = this.readBulkLength()
        if (problem !== undefined) return problem
      }
      const end = this.at + this.bulkLength
      if (this.buffer.length < end + 2) return null
      this.words.push(this.buffer.slice(this.at, end))
      this.wordBytes += this.bulkLength + 32
      this.at = end + 2
      this.bulkLength = -1
      this.missing--
    }
    return this.words
  }

  private readBulkLength(): ProtocolError | null | undefined {
    const lead = this.at < this.buffer.length ? this.buffer[this.at]! : ''
    const before = this.at
    const length = this.readLength('too big bulk count string')
    if (typeof length !== 'number') return length
    if (lead !== '$') {
      this.at = before
      return new ProtocolError(`expected '$', got '${lead}'`)
    }
    if (Number.isNaN(length) || length < 0 || length > this.maxBulkBytes()) {
      return new ProtocolError('invalid bulk length')
    }
    if (length > 16384 && this.restricted) return new ProtocolError('unauthenticated bulk length')
    this.bulkLength = length
    return undefined
  }

  /**
   * The number after a one-character prefix, up to the line end; NaN if it is not a 64-bit integer.
   */
  private readLength(tooBig: string): number | ProtocolError | null {
    const short = this.readShortLength()
    return short === -1 ? this.readAnyLength(tooBig) : short
  }

  /**
   * Fast path that neither searches nor slices. It reads up to nine digits without a leading zero
   * that were received completely; otherwise returns -1.
   */
  private readShortLength(): number {
    const { buffer } = this
    let at = this.at + 1
    let value = buffer.charCodeAt(at) - 48
    if (!(value >= 1 && value <= 9)) return -1
    for (const last = at + 9; at < last; value = value * 10 + buffer.charCodeAt(at) - 48) {
      const code = buffer.charCodeAt(++at)
      if (code === 13) {
        if (at + 2 > buffer.length) return -1
        this.at = at + 2
        return value
      }
      if (!(code >= 48 && code <= 57)) return -1
    }
    return -1
  }

  private readAnyLength(tooBig: string): number | ProtocolError | null {
    const end = this.buffer.indexOf('\r', this.at)
    if (end === -1) return this.buffer.length - this.at > inlineLimit ? new ProtocolError(tooBig) : null
    if (end + 2 > this.buffer.length) return null
    const value = parseInt64(this.buffer.slice(this.at + 1, end))
    this.at = end + 2
    return value === undefined ? Number.NaN : Number(value)
  }
}
