/**
 * js-redis-server, with the shortest path to its parser. It uses the bench's transport, because its
 * own sockets cost time and its in-memory transport copies bytes. All servers share one command
 * table.
 */
import {
  attachSession,
  type ConnectionTransport,
  createRedisCommandExecutor,
  RedisServerState,
} from 'js-redis-server/core'
import { request as text } from './simulated-redis.ts'

export const name = 'js-redis-server'

const executor = createRedisCommandExecutor()

/** A server without its expiry timer, which would keep this process alive. */
export function newServer(): RedisServerState {
  return new RedisServerState({ activeExpiryIntervalMs: false })
}

/**
 * Connects to a new server. Returns a function that takes the bytes of a request and returns the
 * bytes of the reply.
 */
export function openClient(): (bytes: Buffer) => Promise<Buffer> {
  const wire = new Wire()
  attachSession(wire, { state: newServer(), executor })
  return (bytes) => wire.exchange(bytes)
}

export function request(words: readonly string[]): Buffer {
  return Buffer.from(text(words), 'latin1')
}

class Wire implements ConnectionTransport {
  readonly id = 'bench'
  readonly signal = new AbortController().signal
  #request: Buffer | null = null
  #arrived: (() => void) | null = null
  #answered: (reply: Buffer) => void = () => {}

  exchange(bytes: Buffer): Promise<Buffer> {
    return new Promise((resolve) => {
      this.#answered = resolve
      this.#request = bytes
      this.#arrived?.()
    })
  }

  async *read(): AsyncIterable<Buffer> {
    for (;;) {
      while (this.#request === null)
        await new Promise<void>((resolve) => {
          this.#arrived = resolve
        })
      const bytes = this.#request
      this.#request = null
      yield bytes
    }
  }

  write(reply: Buffer): void {
    this.#answered(reply)
  }

  close(): void {}

  on(): () => void {
    return () => {}
  }
}
