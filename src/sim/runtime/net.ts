import dns from 'node:dns'
import net from 'node:net'
import tls from 'node:tls'
import { caller } from './current.ts'
import { real } from './real.ts'
import { VirtualSocket } from './socket.ts'

/**
 * While a process is current, every way of opening a TCP connection leads into the simulated network.
 * TLS is a connection with one more round of events and no cryptography: certificates are not simulated.
 */
function virtualConnect(...args: unknown[]): net.Socket {
  const process = caller()
  if (process === null) return Reflect.apply(real.connect, net, args)
  const [options] = args
  const socket = new VirtualSocket(process, typeof options === 'object' ? (options as net.SocketConstructorOpts) : {})
  const { timeout } = (typeof options === 'object' ? options : {}) as { timeout?: number }
  if (timeout) socket.setTimeout(timeout)
  return socket.connect(...args) as unknown as net.Socket
}

function virtualTlsConnect(...args: unknown[]): net.Socket {
  const process = caller()
  if (process === null) return Reflect.apply(real.tlsConnect, tls, args)
  const socket = virtualConnect(...args.filter((argument) => typeof argument !== 'function'))
  const done = args.findLast((argument) => typeof argument === 'function') as (() => void) | undefined
  Object.assign(socket, { encrypted: true, authorized: true })
  if (done !== undefined) socket.once('secureConnect', done)
  socket.once('connect', () => process.schedule(0, () => socket.emit('secureConnect')))
  return socket
}

type LookupDone = (error: Error | null, address?: unknown, family?: number) => void

function virtualLookup(hostname: string, options: unknown, callback?: LookupDone): void {
  const process = caller()
  if (process === null) return Reflect.apply(real.lookup, dns, [hostname, options, callback].filter(Boolean))
  const done = (callback ?? options) as LookupDone
  const address = process.host.resolve(hostname)
  const all = typeof options === 'object' && (options as { all?: boolean } | null)?.all === true
  process.schedule(0, () => {
    if (address === null) {
      const error = new Error(`getaddrinfo ENOTFOUND ${hostname}`)
      done(Object.assign(error, { code: 'ENOTFOUND', errno: -3008, syscall: 'getaddrinfo', hostname }))
    } else if (all) done(null, [{ address, family: 4 }])
    else done(null, address, 4)
  })
}

export function installNet(): void {
  net.connect = virtualConnect as typeof net.connect
  net.createConnection = virtualConnect as typeof net.createConnection
  tls.connect = virtualTlsConnect as typeof tls.connect
  dns.lookup = virtualLookup as unknown as typeof dns.lookup
  net.Socket = new Proxy(real.Socket, {
    construct(target, args, newTarget) {
      const process = newTarget === net.Socket ? caller() : null
      return process === null ? Reflect.construct(target, args, newTarget) : new VirtualSocket(process, args[0])
    },
  })
  guardRealConnect()
}

/** A socket class of its own that was derived before `install()` would reach for the real network: say so. */
function guardRealConnect(): void {
  const realConnect = real.Socket.prototype.connect
  real.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]): net.Socket {
    const process = caller()
    if (process === null) return Reflect.apply(realConnect, this, args)
    process.host.unsupported(`a connection of ${this.constructor.name}, which bypasses net.connect`)
    throw new Error('this way of connecting is not simulated; use net.connect, tls.connect or new net.Socket()')
  }
}
