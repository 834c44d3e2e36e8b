/** What the simulated Redis costs by itself: bytes of a request in, bytes of the reply out, no network between. */
import type { RedisEnvironment } from '../../src/sim/redis/environment.ts'
import { RedisServer } from '../../src/sim/redis/server.ts'
import type { Cost } from './cost.ts'

const threeCalls = `
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return redis.call('HINCRBY', KEYS[2], 'fence', 1)`

export const redisCosts: readonly Cost[] = [
  command('GET', 200_000, ['GET', 'key:1'], [['SET', 'key:1', 'value']]),
  command('SET', 200_000, ['SET', 'key:1', 'value', 'PX', '30000']),
  command('HSET', 200_000, ['HSET', 'hash:1', 'state', 'acquired', 'owner', 'me']),
  script('EVALSHA of a script with three calls', 50_000, threeCalls, ['2', 'lease:1', 'record:1', 'me', '30000']),
  {
    name: 'a new RedisServer',
    times: 2000,
    prepare: () => (times) => {
      for (let made = 0; made < times; made++) new RedisServer(environment())
    },
  },
]

function command(name: string, times: number, words: readonly string[], before: readonly string[][] = []): Cost {
  return {
    name,
    times,
    prepare() {
      const { send } = client()
      for (const other of before) send(request(other))
      const bytes = request(words)
      if (send(bytes).startsWith('-')) throw new Error(`${name} is answered with an error`)
      return (left) => {
        for (; left > 0; left--) send(bytes)
      }
    },
  }
}

function script(name: string, times: number, body: string, rest: readonly string[]): Cost {
  return {
    name,
    times,
    prepare() {
      const { send } = client()
      const [, sha] = send(request(['SCRIPT', 'LOAD', body])).split('\r\n')
      const bytes = request(['EVALSHA', sha!, ...rest])
      const reply = send(bytes)
      if (!reply.startsWith(':')) throw new Error(`${name} is answered with ${JSON.stringify(reply)}`)
      return (left) => {
        for (; left > 0; left--) send(bytes)
      }
    },
  }
}

/** A connection to a server of its own; `send` answers the reply's bytes. */
function client(): { send(bytes: string): string } {
  let reply = ''
  const connection = new RedisServer(environment()).connect({
    write: (bytes) => {
      reply = bytes
    },
    close() {},
  })
  return {
    send(bytes) {
      connection.receive(bytes)
      return reply
    },
  }
}

/** A clock that moves a little with every look at it, as a busy server's does. */
function environment(): RedisEnvironment {
  let us = 1_767_225_600_000_000
  return {
    nowUs: () => (us += 3),
    random: (n) => us % n,
    schedule: () => () => {},
    unsupported(what) {
      throw new Error(`${what} is not simulated`)
    },
  }
}

function request(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`
}
