import net from 'node:net'
import type { Duplex } from 'node:stream'
import type { VirtualProcess } from './process.ts'
import { real } from './real.ts'
import { VirtualTimeout } from './timers.ts'
import type { ByteStream, Endpoint } from './transport.ts'

/** `net.Socket` as a class to derive from: a stream, with those of its members that are written here. */
const OpenSocket = real.Socket as unknown as new (
  options?: net.SocketConstructorOpts,
) => Duplex & { connecting: boolean; timeout: number | undefined }

/**
 * A `net.Socket` whose other half is the simulated network. It is Node's own class with the handle's part replaced,
 * so streams, `allowHalfOpen`, `destroy` and the order of events are Node's.
 * Left out: back-pressure of the send buffer (every write is taken at once), `pause` stopping the peer, Unix sockets.
 */
export class VirtualSocket extends OpenSocket implements Endpoint {
  #stream: ByteStream | null = null
  #idle: VirtualTimeout | null = null
  #local: { address: string; port: number } | null = null
  #remote: { address: string; port: number } | null = null
  readonly #owner: VirtualProcess

  constructor(owner: VirtualProcess, options?: net.SocketConstructorOpts) {
    super(options)
    this.#owner = owner
    // net.Socket sets it on opening a handle; without one, reads must be started by `push` alone.
    Object.defineProperty(this, '_handle', { value: null, writable: true, configurable: true })
  }

  connect(...args: unknown[]): this {
    const { host, port, done } = connectArguments(args)
    if (done !== undefined) this.once('connect', done)
    this.connecting = true
    this.#owner.sockets.add(this)
    const address = this.#owner.host.resolve(host)
    if (address === null) this.#owner.schedule(0, () => this.destroy(lookupError(host)))
    else {
      this.#remote = { address, port }
      if (net.isIP(host) === 0) this.#owner.schedule(0, () => this.emit('lookup', null, address, 4, host))
      this.#stream = this.#owner.host.connect(this.#owner, address, port, this)
    }
    return this
  }

  connected(local: { address: string; port: number }): void {
    if (this.destroyed) return
    this.connecting = false
    this.#local = local
    this._unrefTimer()
    this.emit('connect')
    this.emit('ready')
    if (!this.destroyed && !this.isPaused()) this.read(0)
  }

  connectFailed(code: string): void {
    const { address, port } = this.#remote!
    const error = systemError(code, 'connect', ` ${address}:${port}`)
    this.destroy(Object.assign(error, { address, port }))
  }

  received(bytes: string): void {
    if (this.destroyed) return
    this._unrefTimer()
    this.push(Buffer.from(bytes, 'latin1'))
  }

  ended(): void {
    if (this.destroyed) return
    this.push(null)
    this.read(0)
  }

  broken(code: string): void {
    if (!this.destroyed) this.destroy(systemError(code, code === 'EPIPE' ? 'write' : 'read', ''))
  }

  /** The process is gone; nothing of this socket may happen any more. */
  abandon(): void {
    this.#stream?.close(true)
    this.#stream = null
    this.#idle?.close()
  }

  override _read(): void {}

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.connecting) {
      this.once('connect', () => this._write(chunk, encoding, done))
      this.once('close', () => done(new Error('Socket closed before the connection was established')))
      return
    }
    this._unrefTimer()
    this.#send(latin1(chunk, encoding), done)
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    if (this.connecting) {
      this.once('connect', () => this._writev(chunks, done))
      this.once('close', () => done(new Error('Socket closed before the connection was established')))
      return
    }
    this._unrefTimer()
    this.#send(chunks.map(({ chunk, encoding }) => latin1(chunk, encoding)).join(''), done)
  }

  #send(bytes: string, done: (error?: Error | null) => void): void {
    if (this.#stream === null) return done(systemError('EPIPE', 'write', ''))
    this.#stream.send(bytes)
    done()
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.connecting) {
      this.once('connect', () => this._final(done))
      return
    }
    this.#stream?.finish()
    this.#owner.schedule(0, () => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.connecting = false
    this.#idle?.close()
    this.#stream?.close(false)
    this.#stream = null
    this.#owner.sockets.delete(this)
    done(error)
    this.#owner.schedule(0, () => this.emit('close', error !== null))
  }

  resetAndDestroy(): this {
    this.#stream?.close(true)
    this.#stream = null
    return this.destroy()
  }

  setTimeout(timeoutMs: number, done?: () => void): this {
    this.timeout = timeoutMs
    this.#idle?.close()
    this.#idle = null
    if (timeoutMs === 0) {
      if (done !== undefined) this.removeListener('timeout', done)
      return this
    }
    if (done !== undefined) this.once('timeout', done)
    const idle = new VirtualTimeout(this.#owner, Math.max(1, Math.trunc(timeoutMs)), false, () => this.emit('timeout'))
    this.#idle = idle
    return this
  }

  /** Node calls it on every sign of life. */
  _unrefTimer(): void {
    if (this.#idle !== null && this.timeout) this.#idle.refresh()
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  address(): net.AddressInfo | {} {
    return this.#local === null ? {} : { ...this.#local, family: 'IPv4' }
  }

  get pending(): boolean {
    return this.#local === null
  }
  get remoteAddress(): string | undefined {
    return this.#remote?.address
  }
  get remotePort(): number | undefined {
    return this.#remote?.port
  }
  get remoteFamily(): string | undefined {
    return this.#remote === null ? undefined : 'IPv4'
  }
  get localAddress(): string | undefined {
    return this.#local?.address
  }
  get localPort(): number | undefined {
    return this.#local?.port
  }
}

/** As `net` reads them: (options), (port, host), each with an optional callback; or what it normalised itself. */
export function connectArguments(args: unknown[]): { host: string; port: number; done: (() => void) | undefined } {
  const list = Array.isArray(args[0]) ? (args[0] as unknown[]) : args
  const done = list.findLast((argument) => typeof argument === 'function') as (() => void) | undefined
  const [first, second] = list
  if (typeof first === 'object' && first !== null) {
    const options = first as { host?: string; port?: number | string; path?: string }
    if (options.path !== undefined) throw new Error(`a Unix socket (${options.path}) is not simulated`)
    return { host: options.host ?? 'localhost', port: Number(options.port), done }
  }
  return { host: typeof second === 'string' ? second : 'localhost', port: Number(first), done }
}

const ascii = /^[\x00-\x7f]*$/

function latin1(chunk: Buffer | string, encoding: BufferEncoding): string {
  if (typeof chunk !== 'string') return chunk.toString('latin1')
  if (encoding === 'latin1' || ascii.test(chunk)) return chunk
  return Buffer.from(chunk, encoding).toString('latin1')
}

const errorNumbers: Record<string, number> = {
  EPIPE: -32,
  ECONNRESET: -104,
  ETIMEDOUT: -110,
  ECONNREFUSED: -111,
  EHOSTUNREACH: -113,
}

/** With the text and fields of Node's own (`read ECONNRESET`). */
function systemError(code: string, syscall: string, detail: string): Error {
  return Object.assign(new Error(`${syscall} ${code}${detail}`), { errno: errorNumbers[code], code, syscall })
}

function lookupError(hostname: string): Error {
  const error = new Error(`getaddrinfo ENOTFOUND ${hostname}`)
  return Object.assign(error, { errno: -3008, code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname })
}
