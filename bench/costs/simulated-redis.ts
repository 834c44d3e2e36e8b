/** The simulated Redis, with nothing between the bench and its parser. */
import type { RedisEnvironment } from 'redis-sim'
import { RedisServer } from 'redis-sim'

interface Clock {
  us: number
}

/** `clock`: of the server's machine; who holds it can let time pass. */
export function newServer(clock: Clock = { us: 1_767_225_600_000_000 }): RedisServer {
  return new RedisServer(environment(clock))
}

/** A connection to a server of its own; a request's bytes in, the reply's out. */
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

/** A clock that moves a little with every look at it, as a busy server's does. */
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
