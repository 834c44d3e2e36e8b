import { randomInt } from 'node:crypto'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { RedisConfig } from './config.ts'
import type { RedisConnection } from './connection.ts'
import { tooManyClients } from './degraded-state.ts'
import type { RedisEnvironment } from './environment.ts'
import { encodeReply } from './resp/encode.ts'
import { RedisServer } from './server.ts'

/**
 * Serves the simulated Redis on a TCP port, for redis-cli, clients in any language and Redis's own
 * test suite.
 *
 * Fault model: none; a client may send anything. The memory that a client can occupy is limited.
 * Commands of a client that does not read its replies wait. A subscriber that does not read is
 * disconnected, as in real Redis. A client is also disconnected if a single command exceeds the
 * input limit. Everything runs in one thread, so no client is served while a script runs. The
 * duration of a script is computed from its steps. If it exceeds busy-reply-threshold, the time in
 * which other clients are answered BUSY begins after the script was executed. A script that runs
 * out of steps counts as endless. There is no disk, no TLS, and no Unix socket.
 */
export interface RedisTcpServer {
  readonly port: number
  readonly redis: RedisServer
  close(): Promise<void>
}

/**
 * Bytes of unread replies after which a client's next command waits, and after which a subscriber
 * is disconnected.
 */
const waitingLimit = 8 * 1024 * 1024
const subscriberLimit = 32 * 1024 * 1024
/**
 * Maximum number of bytes of an incomplete command from one client. A JavaScript string cannot
 * exceed 512 MB.
 */
const inputLimit = 256 * 1024 * 1024
const clientLimit = 10_000
/** Milliseconds between two active expiry cycles, as in real Redis. */
const expiryCycleMs = 100

export interface ListenOptions {
  /** Address to listen on; defaults to 127.0.0.1. */
  readonly host?: string
  /** Defaults to a free port, as does 0. */
  readonly port?: number
  readonly config?: Partial<RedisConfig>
  /** Replaces members of the real clock, timers and randomness. */
  readonly environment?: Partial<RedisEnvironment>
}

/** Rejects with the error of `net.Server.listen`: EADDRINUSE, EACCES, ENOTFOUND, … */
export async function listen(options: ListenOptions = {}): Promise<RedisTcpServer> {
  const { host = '127.0.0.1', port = 0, config = {}, environment = {} } = options
  const redis = new RedisServer({ ...machineEnvironment, ...environment }, config)
  const clients = new Set<Client>()
  const listener = createServer((socket) => {
    if (clients.size >= clientLimit) socket.end(encodeReply(tooManyClients, 2), 'latin1')
    else clients.add(new Client(redis, socket, (client) => clients.delete(client)))
  })
  redis.config.port = await portOf(listener, host, port)
  const cycle = setInterval(() => redis.dropExpired(), expiryCycleMs)
  return {
    port: redis.config.port,
    redis,
    async close() {
      clearInterval(cycle)
      for (const client of clients) client.destroy()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

function portOf(listener: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(port, host, () => resolve((listener.address() as AddressInfo).port))
  })
}

/** The longest delay of Node's timers. */
const longestMs = 2 ** 31 - 1

const machineEnvironment: RedisEnvironment = {
  nowUs: () => Math.floor((performance.timeOrigin + performance.now()) * 1000),
  random: (n) => randomInt(n),
  schedule: (delayUs, callback) => {
    let timer: NodeJS.Timeout
    const wait = (leftMs: number) => {
      timer = setTimeout(
        () => (leftMs > longestMs ? wait(leftMs - longestMs) : callback()),
        Math.min(leftMs, longestMs),
      )
    }
    wait(delayUs / 1000)
    return () => clearTimeout(timer)
  },
  unsupported: () => {},
}

class Client {
  private readonly connection: RedisConnection

  constructor(
    private readonly redis: RedisServer,
    private readonly socket: Socket,
    gone: (client: Client) => void,
  ) {
    socket.setNoDelay(true)
    this.connection = redis.connect({
      address: `${socket.remoteAddress}:${socket.remotePort}`,
      write: (bytes) => this.write(bytes),
      // The socket is destroyed, so that a client that continues to send notices that the server
      // has closed the connection.
      close: () => socket.destroySoon(),
      unblocked: () => this.execute(),
    })
    socket.on('data', (chunk) => this.receive(chunk))
    socket.on('drain', () => this.execute())
    socket.on('error', () => {})
    socket.on('close', () => {
      this.connection.close()
      gone(this)
    })
  }

  destroy(): void {
    this.socket.destroy()
  }

  private receive(chunk: Buffer): void {
    this.connection.feed(chunk.toString('latin1'))
    if (this.connection.unparsedBytes > inputLimit) {
      this.redis.environment.unsupported('a command of more than 256 MB')
      this.socket.destroy()
    } else this.execute()
  }

  /** Executes the client's commands while the client reads its replies. */
  private execute(): void {
    const { connection, socket } = this
    socket.cork()
    while (socket.writableLength < waitingLimit && connection.step());
    socket.uncork()
    if (socket.writableLength >= waitingLimit) socket.pause()
    else socket.resume()
    this.redis.stepUnblocked()
  }

  private write(bytes: string): void {
    if (this.socket.destroyed) return
    this.socket.write(bytes, 'latin1')
    if (this.connection.session.isSubscriber && this.socket.writableLength > subscriberLimit) this.socket.destroy()
  }
}
