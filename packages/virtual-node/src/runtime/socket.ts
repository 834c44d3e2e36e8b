import dns from 'node:dns'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import { assert } from '../assert.ts'
import { type ConnectOptions, checkedOptions, connectArguments } from './connect-arguments.ts'
import { current } from './current.ts'
import type { VirtualProcess } from './process.ts'
import { real } from './real.ts'
import { connectError, nodeError, systemError } from './socket-errors.ts'
import { VirtualTimeout } from './timers.ts'
import type { Address, ByteStream, Endpoint } from './transport.ts'

/** `net.Socket` as a base class: a stream, with the members that are used or replaced here. */
const OpenSocket = real.Socket as unknown as new (
  options?: net.SocketConstructorOpts,
) => Duplex & { connecting: boolean; timeout: number | undefined; _undestroy(): void }

/** Options of the constructor, to which `net.connect` passes its own options. */
type KeepAliveOptions = Pick<net.TcpSocketConnectOpts, 'keepAlive' | 'keepAliveInitialDelay'>
type Done = (error?: Error | null) => void
type Found = string | readonly { address: string; family: number }[]
type Lookup = (
  host: string,
  options: object,
  done: (error: Error | null, found?: Found, family?: number) => void,
) => void

/**
 * A `net.Socket` whose other half is the simulated network. It is Node's own class with the
 * handle's part replaced, so streams, `allowHalfOpen`, `destroy` and the order of events are Node's
 * (lib/net.js of Node 20). Not simulated: back-pressure of the send buffer (every write is taken at
 * once), `pause` stopping the peer, several addresses behind one name (`autoSelectFamily`), Unix
 * sockets, which are reported as unsupported. `onread` is in `onread-socket.ts`.
 */
export class VirtualSocket extends OpenSocket implements Endpoint {
  #stream: ByteStream | null = null
  /** True while Node would hold a handle: from `connect` to `destroy`. */
  #handle = false
  #idle: VirtualTimeout | null = null
  /** See `ByteStream.keepAlive`. */
  #keepAliveUs: number | null = null
  #local: { address: string; port: number } | null = null
  #remote: { address: string; port: number } | null = null
  #peername: { address: string; port: number } | null = null
  #bytesRead = 0
  #bytesWritten = 0
  readonly #owner: VirtualProcess
  /** Data that wait for the connection: Node counts them as written. */
  declare _pendingData: unknown
  declare _pendingEncoding: string
  /** The server that accepted the socket, as in Node. */
  declare _server?: { _connections: number; _emitCloseIfDrained(): void }

  constructor(owner: VirtualProcess, options?: net.SocketConstructorOpts & KeepAliveOptions) {
    super(options)
    this.#owner = owner
    const { keepAlive, keepAliveInitialDelay } = options ?? {}
    if (keepAlive) this.setKeepAlive(true, keepAliveInitialDelay)
  }

  connect(...args: unknown[]): this {
    const { options, done } = connectArguments(args)
    if (done !== null) this.once('connect', done)
    const target = checkedOptions(options)
    if (target.path !== undefined) {
      this.#owner.host.unsupported('a Unix socket')
      throw new Error(`a Unix socket (${target.path}) is not simulated`)
    }
    if (this.destroyed) this._undestroy()
    this.#peername = null
    this.#handle = true
    this._unrefTimer()
    this.connecting = true
    this.#owner.sockets.add(this)
    if (net.isIP(target.host) === 0) this.#lookUp(target)
    else process.nextTick(() => this.#open(target.host, target.port))
    return this
  }

  #lookUp({ host, port, lookup, family, hints = 0 }: ConnectOptions): void {
    const find = (typeof lookup === 'function' ? lookup : dns.lookup) as Lookup
    const options = family === 4 || family === 6 ? { family, hints } : { family: 0, hints, all: true }
    find(host, options, (error, found, foundFamily) => {
      if (!this.connecting) return
      if (error) {
        this.emit('lookup', error, undefined, undefined, host)
        process.nextTick(() => this.destroy(error))
        return
      }
      const [first] = typeof found === 'string' ? [{ address: found, family: foundFamily }] : found!
      this.emit('lookup', null, first!.address, first!.family, host)
      this.#open(first!.address, port)
    })
  }

  #open(address: string, port: number): void {
    if (!this.connecting) return
    this.#remote = { address, port }
    this.#stream = this.#owner.host.connect(this.#owner, address, port, this)
    this.#stream.keepAlive?.(this.#keepAliveUs)
  }

  /** A server accepted the connection: it is open from the beginning. */
  accepted(stream: ByteStream, local: Address, remote: Address): void {
    this.#handle = true
    this.#stream = stream
    this.#local = local
    this.#remote = remote
    this.#owner.sockets.add(this)
  }

  #hears(): void {
    assert(current === this.#owner, 'a socket gets events of its connection in a turn of its process')
  }

  connected(local: { address: string; port: number }): void {
    this.#hears()
    if (this.destroyed) return
    this.connecting = false
    this.#local = local
    this._unrefTimer()
    this.emit('connect')
    this.emit('ready')
    if (!this.isPaused()) this.read(0)
  }

  connectFailed(code: string): void {
    this.#hears()
    const { address, port } = this.#remote!
    if (!this.destroyed) this.destroy(connectError(code, address, port))
  }

  received(bytes: string): void {
    this.#hears()
    if (this.destroyed) return
    assert(!beyondBytes.test(bytes), 'data on a connection is bytes')
    this.noteRead(bytes.length)
    this.push(Buffer.from(bytes, 'latin1'))
  }

  protected noteRead(byteCount: number): void {
    this._unrefTimer()
    this.#bytesRead += byteCount
  }

  ended(): void {
    this.#hears()
    if (this.destroyed) return
    this.push(null)
    this.read(0)
  }

  broken(code: string): void {
    this.#hears()
    if (!this.destroyed) this.destroy(systemError(code, 'read'))
  }

  /** The process is gone: this socket must not do anything any more. */
  abandon(): void {
    this.#stream?.close(true)
    this.#stream = null
    this.#idle?.close()
  }

  override _read(): void {}

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: Done): void {
    if (this.connecting) this.#onceConnected(chunk, encoding, () => this._write(chunk, encoding, done), done)
    else this.#send(latin1(chunk, encoding), done)
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], done: Done): void {
    if (this.connecting) this.#onceConnected(chunks, '', () => this._writev(chunks, done), done)
    else this.#send(latin1OfAll(chunks), done)
  }

  #onceConnected(data: unknown, encoding: string, write: () => void, done: Done): void {
    this._pendingData = data
    this._pendingEncoding = encoding
    const closed = () => done(nodeError('ERR_SOCKET_CLOSED_BEFORE_CONNECTION'))
    this.once('connect', () => {
      this.off('close', closed)
      this._pendingData = null
      write()
    })
    this.once('close', closed)
  }

  #send(bytes: string, done: Done): void {
    if (this.#stream === null) return done(nodeError('ERR_SOCKET_CLOSED'))
    this._unrefTimer()
    this.#bytesWritten += bytes.length
    const failed = this.#stream.send(bytes)
    done(failed === null ? null : systemError(failed, 'write'))
  }

  override _final(done: Done): void {
    if (this.pending) {
      this.once('connect', () => this._final(done))
      return
    }
    // libuv shuts the write side down before the immediates of the same round of the event loop.
    if (this.#stream?.finish() === false) done()
    else this.#owner.scheduleLate('pending', () => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.connecting = false
    this.#idle?.close()
    this.#stream?.close(false)
    this.#stream = null
    this.#local = null
    this.#owner.sockets.delete(this)
    const hadHandle = this.#handle
    this.#handle = false
    done(error)
    if (!hadHandle) process.nextTick(() => this.emit('close'))
    // Node closes handles at the end of a round of its event loop, after the immediates of that
    // round.
    else this.#owner.scheduleLate('closing', () => this.emit('close', error !== null))
    const { _server: server } = this
    if (server) server._connections--
    server?._emitCloseIfDrained()
  }

  resetAndDestroy(): this {
    if (!this.#handle) return this.destroy(nodeError('ERR_SOCKET_CLOSED'))
    if (this.connecting) return this.once('connect', () => this.resetAndDestroy())
    this.#stream?.close(true)
    this.#stream = null
    return this.destroy()
  }

  setTimeout(timeoutMs: number, done?: () => void): this {
    if (this.destroyed) return this
    this.timeout = timeoutMs
    this.#idle?.close()
    this.#idle = null
    if (timeoutMs === 0) {
      if (done !== undefined) this.removeListener('timeout', done)
      return this
    }
    this.#idle = new VirtualTimeout(this.#owner, Math.max(1, Math.trunc(timeoutMs)), false, () => this.emit('timeout'))
    if (done !== undefined) this.once('timeout', done)
    return this
  }

  /**
   * libuv sets ten probes, one a second. Without a delay, Linux sends nine probes after two hours,
   * 75 s apart.
   */
  setKeepAlive(on = false, initialDelayMs = 0): this {
    const idleSeconds = Math.trunc(initialDelayMs / 1000)
    this.#keepAliveUs = on ? (idleSeconds > 0 ? idleSeconds + 10 : 7200 + 9 * 75) * 1_000_000 : null
    this.#stream?.keepAlive?.(this.#keepAliveUs)
    return this
  }

  /** Node calls this method on every activity of the socket. */
  _unrefTimer(): void {
    this.#idle?.refresh()
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  address(): net.AddressInfo | {} {
    if (this.#local === null) return {}
    const { address, port } = this.#local
    return { address, family: 'IPv4', port }
  }

  get pending(): boolean {
    return !this.#handle || this.connecting
  }
  get bytesRead(): number {
    return this.#bytesRead
  }
  get _bytesDispatched(): number {
    return this.#bytesWritten
  }
  /**
   * The peer's address. As in Node, it is known while connected, and later if it was read before.
   */
  #peer(): { address: string; port: number } | null {
    if (this.#local !== null) this.#peername = this.#remote
    return this.#peername
  }
  get remoteAddress(): string | undefined {
    return this.#peer()?.address
  }
  get remotePort(): number | undefined {
    return this.#peer()?.port
  }
  get remoteFamily(): string | undefined {
    return this.#peer() === null ? undefined : 'IPv4'
  }
  get localAddress(): string | undefined {
    return this.#local?.address
  }
  get localPort(): number | undefined {
    return this.#local?.port
  }
  get localFamily(): string | undefined {
    return this.#local === null ? undefined : 'IPv4'
  }
}

function latin1OfAll(chunks: readonly { chunk: Buffer | string; encoding: BufferEncoding }[]): string {
  let bytes = ''
  for (const { chunk, encoding } of chunks) bytes += latin1(chunk, encoding)
  return bytes
}

const beyondBytes = /[^\x00-\xff]/
const ascii = /^[\x00-\x7f]*$/

function latin1(chunk: Buffer | string, encoding: BufferEncoding): string {
  if (typeof chunk !== 'string') return chunk.toString('latin1')
  if (encoding === 'utf8' && ascii.test(chunk)) return chunk
  return Buffer.from(chunk, encoding).toString('latin1')
}
