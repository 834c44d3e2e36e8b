import type net from 'node:net'
import type { VirtualProcess } from './process.ts'
import { VirtualSocket } from './socket.ts'

/** The option `onread`, if Node accepts it. */
interface OnRead {
  readonly buffer: Uint8Array | (() => Uint8Array)
  callback(byteCount: number, buffer: Uint8Array): unknown
}

/** @returns null if Node ignores `onread` */
function onReadOf(options: net.SocketConstructorOpts | undefined): OnRead | null {
  const { onread } = (options ?? {}) as { onread?: Partial<OnRead> | null }
  if (typeof onread !== 'object' || onread === null || typeof onread.callback !== 'function') return null
  const { buffer } = onread
  return buffer instanceof Uint8Array || typeof buffer === 'function' ? (onread as OnRead) : null
}

export function virtualSocket(owner: VirtualProcess, options?: net.SocketConstructorOpts): VirtualSocket {
  const onread = onReadOf(options)
  return onread === null ? new VirtualSocket(owner, options) : new OnReadSocket(owner, onread, options)
}

/**
 * A socket with `onread`: bytes come into the caller's buffer, as many at a time as the buffer
 * holds. `false` from the callback stops reading until `resume()` or `read()`. Unread data, and the
 * end after them, wait in the kernel. Sources: `onStreamRead` in
 * lib/internal/stream_base_commons.js and `Socket` in lib/net.js of Node 20; `uv__read` of libuv,
 * which reads on at once if the buffer was filled.
 */
class OnReadSocket extends VirtualSocket {
  readonly #owner: VirtualProcess
  readonly #onread: OnRead
  #buffer: Uint8Array
  #reading = false
  #unread = ''
  /** What follows the unread data: the end, or the code of a break. */
  #behind: { readonly code: string | null } | null = null
  /** The number of scheduled turns that read. */
  #due = 0

  constructor(owner: VirtualProcess, onread: OnRead, options: net.SocketConstructorOpts | undefined) {
    super(owner, options)
    this.#owner = owner
    this.#onread = onread
    this.#buffer = typeof onread.buffer === 'function' ? new Uint8Array() : onread.buffer
  }

  override connect(...args: unknown[]): this {
    super.connect(...args)
    this.#reading = false
    this.#unread = ''
    this.#behind = null
    this.#takeNextBuffer()
    return this
  }

  #takeNextBuffer(): void {
    const { buffer } = this.#onread
    if (typeof buffer !== 'function') return
    const next = buffer()
    if (next instanceof Uint8Array) this.#buffer = next
  }

  override received(bytes: string): void {
    this.#unread += bytes
    if (this.#due === 0) this.#read()
  }

  override ended(): void {
    this.#behind = { code: null }
    if (this.#due === 0) this.#read()
  }

  override broken(code: string): void {
    this.#behind = { code }
    if (this.#due === 0) this.#read()
  }

  /** Call it in a turn in which the socket is readable. */
  #read(): void {
    if (!this.#reading || this.destroyed) return
    if (this.#unread === '') return this.#finish()
    const buffer = this.#buffer
    if (buffer.length === 0) return super.broken('ENOBUFS')
    const count = Math.min(buffer.length, this.#unread.length)
    Buffer.from(buffer.buffer, buffer.byteOffset).write(this.#unread.slice(0, count), 'latin1')
    this.#unread = this.#unread.slice(count)
    // On a broken connection, libuv treats a read that did not fill the buffer as the end.
    if (count < buffer.length && this.#behind !== null) this.#behind = { code: null }
    this.noteRead(count)
    this.#readOn()
    const goesOn = this.#onread.callback(count, buffer) !== false
    this.#takeNextBuffer()
    if (!goesOn) this.#reading = false
  }

  #finish(): void {
    const behind = this.#behind
    this.#behind = null
    if (behind === null) return
    if (behind.code === null) super.ended()
    else super.broken(behind.code)
  }

  /**
   * Reads all waiting data before the work that callbacks start: libuv reads up to 32 times in one
   * round of the event loop.
   */
  #readOn(): void {
    if (this.#due > 0) return
    const reads = Math.ceil(this.#unread.length / Math.max(1, this.#buffer.length)) + (this.#behind === null ? 0 : 1)
    this.#due = Math.min(reads, 31)
    for (let at = 0; at < this.#due; at++)
      this.#owner.scheduleLate('pending', () => {
        this.#due--
        this.#read()
      })
  }

  #startReading(): void {
    if (this.#reading || this.pending) return
    this.#reading = true
    this.#readOn()
  }

  override _read(): void {
    if (this.connecting) this.once('connect', () => this._read())
    else this.#startReading()
  }

  override read(size?: number): unknown {
    this.#startReading()
    return super.read(size)
  }

  override resume(): this {
    this.#startReading()
    return super.resume()
  }

  override pause(): this {
    this.#reading = false
    return super.pause()
  }
}
