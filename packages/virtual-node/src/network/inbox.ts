import { assert } from '../assert.ts'
import type { Pollable, Rest } from '../runtime/pollable.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import type { Data, Segment } from './segment.ts'

/**
 * The size of libuv's reads (uv__alloc_cb of Node: 64 KiB), and how many reads libuv does in one
 * callback as long as each fills its buffer (uv__read).
 */
const readSize = 65_536
const readsAtOnce = 32

/** The owner of an inbox. Its methods are called in turns of the process. */
export interface Reader {
  /** True if this end has sent FIN. */
  readonly hasFinished: boolean
  /** `begun`: the segments whose first byte is in `bytes`. */
  read(bytes: string, begun: readonly Data[]): void
  hears(segment: Exclude<Segment, Data>): void
  ended(): void
  broken(code: string): void
  connectFailed(code: string): void
}

/**
 * Received data of one end of a connection, until its process reads them. A process that keeps up
 * reads each segment as it arrives. A process that is behind reads several segments in one read,
 * like libuv (uv__read, uv__stream_io), from the data that Linux has kept. The end of the stream
 * arrives in a separate round of the loop. Data that arrived before the connection broke can still
 * be read, although writes already fail. Not simulated: the length of the receive buffer.
 */
export class Inbox implements Pollable {
  readonly #unread: Segment[] = []
  /** Bytes of the first segment that were read. */
  #offset = 0
  /** SO_ERROR of Linux: the connection broke while the process was behind. */
  #error: string | null = null
  #isConnected: boolean
  /** True if the process polls the connection. */
  #isWatched: boolean
  #hasEnded = false
  /**
   * True if the last read did not fill its buffer after the poll had reported the break: libuv
   * treats such a read as the end of the stream.
   */
  #isDrained = false
  /** How many reads in a row have filled their buffer. */
  #fullReads = 0

  constructor(
    private readonly process: VirtualProcess,
    private readonly reader: Reader,
    dialledBy: 'this process' | 'its peer',
  ) {
    this.#isConnected = dialledBy === 'its peer'
    this.#isWatched = dialledBy === 'this process'
  }

  /** A segment arrives at the machine. */
  arrived(segment: Segment): void {
    assert(segment.kind !== 'data' || !this.#isAtEnd, 'no data follows the end of a flow')
    this.#unread.push(segment)
    this.#wake()
  }

  get #isAtEnd(): boolean {
    return this.#hasEnded || this.#unread.at(-1)?.kind === 'fin'
  }

  /** The connection is gone, but the process is behind and learns of it later. */
  broke(code: string): void {
    // tcp_reset: EPIPE if the peer had ended the connection.
    const isEnded = this.#hasEnded || this.#unread.some(({ kind }) => kind === 'fin')
    this.#error = isEnded ? 'EPIPE' : code
    // libuv does not poll after it has read the end.
    if (!this.#hasEnded) this.#wake()
  }

  /** The process has accepted the connection. */
  watch(): void {
    this.#isWatched = true
    if (this.#unread.length > 0 || this.#error !== null) this.#wake()
  }

  #wake(): void {
    if (this.#isWatched) this.process.wake(this)
  }

  /** True if the connection broke and the process does not know yet. */
  get isBrokenUnseen(): boolean {
    return this.#error !== null && !this.#hasEnded
  }

  /** True if the machine has received data that the process has not read. */
  get hasUnreadData(): boolean {
    return this.#unread.some(({ kind }) => kind === 'data')
  }

  /**
   * The error with which a write fails; null if writes succeed. After an error, nothing more is
   * read.
   */
  takeError(): string | null {
    const code = this.#error
    if (code !== null) this.clear()
    return code
  }

  /** The process stops reading. */
  clear(): void {
    this.#unread.length = 0
    this.#offset = 0
    this.#error = null
  }

  poll(): Rest {
    assert(this.#isWatched, 'a process reads only connections that it has accepted')
    const [first] = this.#unread
    const error = this.#error
    if (error !== null && (first === undefined || !this.#isConnected)) return this.#reportError(error)
    if (first === undefined) return null
    if (first.kind === 'data') return this.#read()
    this.#unread.shift()
    if (first.kind === 'accepted') {
      assert(!this.#isConnected, 'a connection is established once')
      this.#isConnected = true
    }
    if (first.kind === 'fin') this.#end()
    else this.reader.hears(first)
    return this.#hasMore && !this.#hasEnded ? 'next round' : null
  }

  get #hasMore(): boolean {
    return this.#unread.length > 0 || this.#error !== null
  }

  #end(): void {
    assert(!this.#hasEnded, 'a process reads the end of a flow once')
    this.#hasEnded = true
    this.reader.ended()
  }

  /**
   * If the connection broke before the process first polled it, Linux reports a failed connect,
   * even if the connection had been established.
   */
  #reportError(code: string): null {
    if (this.#isConnected && this.#isDrained) this.#end()
    else {
      this.clear()
      if (this.#isConnected) this.reader.broken(code)
      else this.reader.connectFailed(code)
    }
    return null
  }

  #read(): Rest {
    assert(this.#isConnected, 'no data is read before the connection is established')
    // If both ends have sent FIN, or the connection broke, the poll reports POLLHUP. libuv then
    // treats a read that does not fill its buffer as the last one.
    const isHungUp = this.#error !== null || (this.reader.hasFinished && this.#unread.at(-1)!.kind === 'fin')
    const room = this.process.isBehind ? readSize : Number.POSITIVE_INFINITY
    const begun: Data[] = []
    let bytes = ''
    for (let next = this.#unread[0]; next?.kind === 'data' && bytes.length < room; next = this.#unread[0]) {
      if (this.#offset === 0) begun.push(next)
      const end = this.#offset + room - bytes.length
      bytes += next.bytes.slice(this.#offset, end)
      this.#offset = end < next.bytes.length ? end : 0
      if (this.#offset === 0) this.#unread.shift()
    }
    assert(bytes.length <= room, 'a read fits its buffer')
    this.reader.read(bytes, begun)
    return this.#readOn(bytes.length === room, isHungUp)
  }

  #readOn(isFull: boolean, isHungUp: boolean): Rest {
    this.#fullReads = isFull ? this.#fullReads + 1 : 0
    this.#isDrained = isHungUp && !isFull
    if (!this.#hasMore) return null
    return this.#isDrained || this.#fullReads % readsAtOnce > 0 ? 'at once' : 'next round'
  }
}
