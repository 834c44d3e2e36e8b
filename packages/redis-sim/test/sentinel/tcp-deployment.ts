/**
 * Simulated servers and Sentinels on real loopback ports with the real clock, for clients that only
 * use TCP.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { RedisEnvironment } from '../../src/environment.ts'
import { Sentinel } from '../../src/sentinel/sentinel.ts'
import { RedisServer } from '../../src/server.ts'
import type { Wire, WireEnd } from '../../src/wires.ts'

const host = '127.0.0.1'

/** A TCP listener for a server that can be replaced. */
export class TcpMachine implements RedisEnvironment {
  server: RedisServer | null = null
  private readonly sockets = new Set<Socket>()

  private constructor(
    private readonly listener: Server,
    readonly port: number,
    readonly unsupported: (what: string) => void,
  ) {
    listener.on('connection', (socket) => this.serve(socket))
  }

  static async open(unsupported: (what: string) => void): Promise<TcpMachine> {
    const listener = createServer().listen(0, host)
    await once(listener, 'listening')
    return new TcpMachine(listener, (listener.address() as AddressInfo).port, unsupported)
  }

  die(): void {
    this.server?.shutdown()
    this.server = null
    for (const socket of this.sockets) socket.destroy()
    this.listener.close()
  }

  nowUs(): number {
    return Math.floor((performance.timeOrigin + performance.now()) * 1000)
  }

  random(n: number): number {
    return Math.floor(Math.random() * n)
  }

  schedule(delayUs: number, callback: () => void): () => void {
    const timer = setTimeout(callback, delayUs / 1000)
    return () => clearTimeout(timer)
  }

  readonly wires = { dial: (to: string, port: number, end: WireEnd) => this.dial(to, port, end) }

  private dial(to: string, port: number, end: WireEnd): Wire {
    const socket = connect(port, to)
    let closed = false
    const close = (why: 'end' | 'ECONNREFUSED' | 'ECONNRESET') => {
      if (!closed) end.closed(why)
      closed = true
    }
    this.sockets.add(socket)
    socket.on('connect', () => end.opened(`${socket.localAddress}:${socket.localPort}`))
    socket.on('data', (chunk) => !closed && end.received(chunk.toString('latin1')))
    socket.on('error', () => close('ECONNREFUSED'))
    socket.on('close', () => close('end'))
    return {
      write: (bytes) => void socket.write(bytes, 'latin1'),
      close: () => {
        closed = true
        socket.destroy()
      },
    }
  }

  private serve(socket: Socket): void {
    if (this.server === null) return void socket.destroy()
    this.sockets.add(socket)
    const connection = this.server.connect({
      write: (bytes) => void socket.write(bytes, 'latin1'),
      close: () => void socket.end(),
      address: `${socket.remoteAddress}:${socket.remotePort}`,
    })
    socket.on('data', (chunk) => connection.receive(chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.on('close', () => connection.close())
  }
}

export interface TcpDeployment {
  readonly servers: readonly TcpMachine[]
  readonly sentinels: readonly TcpMachine[]
  readonly unsupported: readonly string[]
  stop(): void
}

/** One primary, two replicas, three Sentinels. */
export async function openDeployment(sentinelPassword = ''): Promise<TcpDeployment> {
  const unsupported: string[] = []
  const open = () => TcpMachine.open((what) => unsupported.push(what))
  const servers = await Promise.all([open(), open(), open()])
  const sentinels = await Promise.all([open(), open(), open()])
  const primary = servers[0]!.port
  servers.forEach((machine, at) => {
    const replicaof = at === 0 ? '' : `${host} ${primary}`
    machine.server = new RedisServer(machine, { port: machine.port, replicaof, replDisklessSyncDelay: 0 })
  })
  for (const machine of sentinels) {
    const monitor = { name: 'mymaster', host, port: primary, quorum: 2, downAfterMs: 400, failoverTimeoutMs: 3000 }
    // INFO is frequent, so that Sentinels find replicas that were not attached at the first INFO.
    // A busy machine must not cause TILT.
    const periods = { infoMs: 500, tiltTriggerMs: 60_000 }
    const config = { port: machine.port, requirepass: sentinelPassword, periods }
    machine.server = new Sentinel(machine, { ...config, monitors: [monitor] })
  }
  return {
    servers,
    sentinels,
    unsupported,
    stop: () => {
      for (const machine of [...servers, ...sentinels]) machine.die()
    },
  }
}
