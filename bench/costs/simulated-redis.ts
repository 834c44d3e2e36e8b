/** The simulated Redis, with direct access to its parser. */
import type { RedisEnvironment } from 'redis-sim'
import { RedisServer } from 'redis-sim'

interface Clock {
  us: number
}

/** `clock`: that of the server's machine. Its owner can advance it. */
export function newServer(clock: Clock = { us: 1_767_225_600_000_000 }): RedisServer {
  return new RedisServer(environment(clock))
}

/** A connection to a new server. It takes a request's bytes and returns the reply's. */
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

/** A clock that advances a little at every read, like that of a busy server. */
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
