import dns from 'node:dns'
import net from 'node:net'
import tls from 'node:tls'
import { isOwn } from '../own-connection.ts'
import { connectArguments } from './connect-arguments.ts'
import { caller } from './current.ts'
import { virtualSocket } from './onread-socket.ts'
import type { VirtualProcess } from './process.ts'
import { real } from './real.ts'
import { lookupError } from './socket-errors.ts'
import { runUnderWay } from './turns.ts'

/**
 * While a process is current, every way of opening a TCP connection leads into the simulated
 * network. TLS is a connection with one more round of events and without cryptography: certificates
 * are not simulated.
 */
function virtualConnect(...args: unknown[]): net.Socket {
  const process = caller()
  if (process === null) return Reflect.apply(real.connect, net, args)
  const { options } = connectArguments(args)
  const socket = virtualSocket(process, options as net.SocketConstructorOpts)
  if (typeof options.timeout === 'number' && options.timeout > 0) socket.setTimeout(options.timeout)
  return socket.connect(...args) as unknown as net.Socket
}

function virtualTlsConnect(...args: unknown[]): net.Socket {
  const process = caller()
  if (process === null) return Reflect.apply(real.tlsConnect, tls, args)
  const { options, done } = connectArguments(args)
  const more = args.findLast((argument) => typeof argument === 'object' && argument !== null) ?? {}
  const socket = virtualConnect({ ...options, ...more })
  Object.assign(socket, { encrypted: true, authorized: true })
  if (done !== null) socket.once('secureConnect', done)
  socket.once('connect', () => {
    process.schedule(0, () => {
      if (!socket.destroyed) socket.emit('secureConnect')
    })
  })
  return socket
}

type LookupDone = (error: Error | null, address?: unknown, family?: number) => void

/** `localhost` is the machine itself; the world resolves other names. */
function addressOf(process: VirtualProcess, hostname: string): string | null {
  if (net.isIP(hostname) !== 0) return hostname
  return hostname === 'localhost' ? '127.0.0.1' : process.host.resolve(hostname)
}

function virtualLookup(hostname: string, options: unknown, callback?: LookupDone): void {
  const process = caller()
  if (process === null)
    return Reflect.apply(real.lookup, dns, callback === undefined ? [hostname, options] : [hostname, options, callback])
  const done = (callback ?? options) as LookupDone
  const address = addressOf(process, hostname)
  process.callBack(() => {
    if (address === null) done(lookupError(hostname))
    else if (wantsAll(options)) done(null, [{ address, family: net.isIP(address) }])
    else done(null, address, net.isIP(address))
  })
}

function virtualPromisedLookup(hostname: string, options?: unknown): Promise<unknown> {
  if (caller() === null) return Reflect.apply(real.promisedLookup, dns.promises, [hostname, options])
  return new Promise((resolve, reject) => {
    virtualLookup(hostname, options, (error, address, family) => {
      if (error) reject(error)
      else resolve(wantsAll(options) ? address : { address, family })
    })
  })
}

const wantsAll = (options: unknown) => (options as { all?: boolean } | null | undefined)?.all === true

export function installNet(): void {
  net.connect = virtualConnect as typeof net.connect
  net.createConnection = virtualConnect as typeof net.createConnection
  tls.connect = virtualTlsConnect as typeof tls.connect
  // `promisify(dns.lookup)` reads a symbol of the real function that describes the result.
  for (const symbol of Object.getOwnPropertySymbols(real.lookup))
    Object.defineProperty(virtualLookup, symbol, Object.getOwnPropertyDescriptor(real.lookup, symbol)!)
  dns.lookup = virtualLookup as unknown as typeof dns.lookup
  dns.promises.lookup = virtualPromisedLookup as typeof dns.promises.lookup
  const newSocket = (options: net.SocketConstructorOpts | undefined) => {
    const process = caller()
    return process === null ? new real.Socket(options) : virtualSocket(process, options)
  }
  net.Socket = new Proxy(real.Socket, {
    construct: (target, args, newTarget) =>
      newTarget === net.Socket ? newSocket(args[0]) : Reflect.construct(target, args, newTarget),
    apply: (target, self, args) =>
      self instanceof real.Socket ? Reflect.apply(target, self, args) : newSocket(args[0]),
  })
  guardRealConnect()
}

/**
 * Stops connections to the real network: of a socket class that was derived before `install()`, and
 * of a layer's work that has left the simulation.
 */
function guardRealConnect(): void {
  const realConnect = real.Socket.prototype.connect
  real.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]): net.Socket {
    const process = caller()
    if (process !== null) {
      process.host.unsupported(`a connection of ${this.constructor.name}, which bypasses net.connect`)
      throw new Error('this way of connecting is not simulated; use net.connect, tls.connect or new net.Socket()')
    }
    if (runUnderWay() && !isOwn(this)) throw new Error('a connection was opened outside the simulated processes')
    return Reflect.apply(realConnect, this, args)
  }
}
