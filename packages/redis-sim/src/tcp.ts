import { randomInt } from 'node:crypto'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { RedisConfig } from './config.ts'
import type { RedisConnection } from './connection.ts'
import { tooManyClients } from './degraded-state.ts'
import type { RedisEnvironment } from './environment.ts'
import { encodeReply } from './resp/encode.ts'
import { RedisServer } from './server.ts'

/**
 * The simulated Redis on a TCP port, for redis-cli, clients in any language and Redis's own test
 * suite.
 *
 * Fault model: none; a client may send anything. What a client can make it hold is limited:
 * commands of a client that does not read its replies wait, a subscriber that does not read is cut
 * off as real Redis does, and so is a client whose one command grows beyond what can be held.
 * Everything runs in one thread, so that no client is heard while a script runs; what it takes
 * beyond busy-reply-threshold is counted from its steps and begins after it (BUSY, SCRIPT KILL),
 * and one that is out of steps counts as never ending from then on. No disk, no TLS, no Unix
 * sockets.
 */
export interface RedisTcpServer {
  readonly port: number
  readonly redis: RedisServer
  close(): Promise<void>
}

/**
 * Replies that wait for a client to read them, before its next command waits too; and before a
 * subscriber is cut off.
 */
const waitingLimit = 8 * 1024 * 1024
const subscriberLimit = 32 * 1024 * 1024
/** Of one client's input that makes no whole command yet. Strings of JavaScript end at 512 MB. */
const inputLimit = 256 * 1024 * 1024
const clientLimit = 10_000
/** How often real Redis looks for expired keys on its own. */
const expiryCycleMs = 100

export interface ListenOptions {
  /** The address to listen on; 127.0.0.1 if missing. */
  readonly host?: string
  /** A free port if missing or 0. */
  readonly port?: number
  readonly config?: Partial<RedisConfig>
  /** Replaces members of the machine's own clock, timers and chance. */
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

/** The longest delay that Node's timers take. */
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
      // A client that goes on sending must learn that the server is gone.
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

  /** As many of the client's commands as it reads the replies of. */
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
