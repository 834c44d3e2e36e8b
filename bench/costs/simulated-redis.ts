/** The simulated Redis, accessed directly at its parser. */
import type { RedisEnvironment } from 'redis-sim'
import { RedisServer } from 'redis-sim'

interface Clock {
  us: number
}

/** Creates a server. `clock`: the clock of its machine, which the caller can advance. */
export function newServer(clock: Clock = { us: 1_767_225_600_000_000 }): RedisServer {
  return new RedisServer(environment(clock))
}

/**
 * Connects to a new server. Returns a function that takes the bytes of a request and returns the
 * bytes of the reply.
 */
export function openClient(): (bytes: string) => string {
  let reply = ''
  const connection = newServer().connect({
    write: (bytes) => {
      reply = bytes
    },
    close() {},
  })
  return (bytes) => {
    connection.receive(bytes)
    return reply
  }
}

export function request(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`
}

/**
 * The environment of a server. Its clock advances a little at every read, as if the server were
 * busy.
 */
function environment(clock: Clock): RedisEnvironment {
  return {
    nowUs: () => (clock.us += 3),
    random: (n) => clock.us % n,
    schedule: () => () => {},
    unsupported(what) {
      throw new Error(`${what} is not simulated`)
    },
  }
}
