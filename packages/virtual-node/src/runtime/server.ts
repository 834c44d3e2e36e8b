/**
 * `net.Server` in a process, and with it `http.Server`: Node's own class over the simulated
 * network, with the handle's part replaced (`setupListenHandle` and `onconnection` in lib/net.js of
 * Node 20). Not simulated: Unix sockets, descriptors, TLS, the length of the backlog, ports
 * reserved for root; the first three are reported as unsupported.
 */
import net from 'node:net'
import tls from 'node:tls'
import { within } from './current.ts'
import { NotSimulatedError } from './node/refuse.ts'
import { replaceFunction } from './node/replace.ts'
import type { VirtualProcess } from './process.ts'
import { VirtualSocket } from './socket.ts'
import { listenError } from './socket-errors.ts'
import type { Address, ByteStream, Endpoint, ServerSocket } from './transport.ts'

/** Members of Node's class that its types do not have. */
interface OpenServer extends net.Server {
  _handle: object | null
  _connections: number
  _connectionKey: string
  allowHalfOpen: boolean
  pauseOnConnect: boolean
  highWaterMark: number
  maxConnections: number
}

export function installServers(): void {
  // Node's `listen` calls `_listen2` after it has read its arguments and looked up the host.
  replaceFunction(net.Server.prototype, '_listen2', listen)
}

type Where = [
  host: string | null,
  port: number | null,
  addressType: number | null,
  backlog: unknown,
  descriptor?: number,
]

function listen(this: OpenServer, process: VirtualProcess, ...[host, port, , , descriptor]: Where): void {
  if (this instanceof tls.Server) refuse(process, 'a TLS server')
  if (typeof descriptor === 'number' || port === null) refuse(process, 'a server on a descriptor')
  if (port < 0) refuse(process, 'a server on a Unix socket')
  const address = host ?? '0.0.0.0'
  const socket = process.host.listen(process, address, port, (stream, local, remote) =>
    accept(this, process, stream, local, remote),
  )
  if (typeof socket === 'string') {
    globalThis.process.nextTick(() => this.emit('error', listenError(socket, address, port)))
    return
  }
  process.servers.add(socket)
  this._handle = handleOf(process, socket)
  this._connectionKey = `4:${address}:${port}`
  globalThis.process.nextTick(() => {
    if (this._handle === null) return
    trackConnections(this)
    this.emit('listening')
  })
}

function refuse(process: VirtualProcess, what: string): never {
  process.host.unsupported(`${what}, which is not simulated`)
  throw new NotSimulatedError(what)
}

/** The handle for `address`, `close`, `ref` and `unref` of Node's class. */
function handleOf(process: VirtualProcess, socket: ServerSocket): object {
  return {
    getsockname(out: object) {
      Object.assign(out, { address: socket.address, family: 'IPv4', port: socket.port })
    },
    close() {
      process.servers.delete(socket)
      socket.close()
    },
    ref() {},
    unref() {},
  }
}

function accept(
  server: OpenServer,
  process: VirtualProcess,
  stream: ByteStream,
  local: Address,
  remote: Address,
): Endpoint {
  const { allowHalfOpen, highWaterMark } = server
  const socket = new VirtualSocket(process, {
    allowHalfOpen,
    readableHighWaterMark: highWaterMark,
    writableHighWaterMark: highWaterMark,
  } as net.SocketConstructorOpts)
  if (server.maxConnections && server._connections >= server.maxConnections) {
    const ends = { localAddress: local.address, localPort: local.port, localFamily: 'IPv4' }
    server.emit('drop', { ...ends, remoteAddress: remote.address, remotePort: remote.port, remoteFamily: 'IPv4' })
    stream.close(false)
    return socket
  }
  socket.accepted(stream, local, remote)
  if (server.pauseOnConnect) socket.pause()
  else socket.read(0)
  server._connections++
  acceptance.set(socket, accepted++)
  Object.assign(socket, { server, _server: server })
  server.emit('connection', socket)
  return socket
}

/** The order in which sockets were accepted. */
const acceptance = new WeakMap<object, number>()
let accepted = 0

interface ConnectionsList {
  all(): { readonly socket: object }[]
  idle(): { readonly socket: object }[]
}

/**
 * Every half minute, `http.Server` looks for requests that take too long, with a clock and a timer
 * of Node. In a process, the server keeps its list of connections, but does not look for such
 * requests. The list is sorted, because idle connections are listed by their address in memory.
 */
function trackConnections(server: OpenServer): void {
  for (const listener of server.listeners('listening')) {
    if (listener.name !== 'setupConnectionsTracking') continue
    server.off('listening', listener as () => void)
    within(null, () => Reflect.apply(listener, server, []))
    clearInterval(memberOf<NodeJS.Timeout>(server, 'http.server.connectionsCheckingInterval'))
    const list = memberOf<ConnectionsList>(server, 'http.server.connections')
    for (const which of ['all', 'idle'] as const) {
      const real = list[which].bind(list)
      list[which] = () => real().sort((a, b) => acceptance.get(a.socket)! - acceptance.get(b.socket)!)
    }
  }
}

/** A member that Node keeps under a private symbol. */
function memberOf<T>(server: object, description: string): T {
  const symbol = Object.getOwnPropertySymbols(server).find((one) => one.description === description)
  return (server as Record<symbol, T>)[symbol!]!
}
