/**
 * The cost of the simulated Redis alone, compared with js-redis-server: from the bytes of a request
 * to the bytes of the reply, without a network. As in a simulated world, each request waits for the
 * previous reply.
 */
import { readFileSync } from 'node:fs'
import { scripts } from '../handler.ts'
import type { Cost, Repeat } from './cost.ts'
import * as peer from './js-redis-server.ts'
import * as ours from './simulated-redis.ts'

const threeCalls = `
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return redis.call('HINCRBY', KEYS[2], 'fence', 1)`

/**
 * The `acquire` script of the reference. One owner repeatedly acquires the key that it holds, so
 * that the whole script runs and writes: five calls. js-redis-server cannot run the script, because
 * its INFO has no master_replid and no evicted_keys.
 */
const acquire = readFileSync(new URL('../../lua/acquire.lua', import.meta.url), 'latin1')
const acquireArguments = ['owner', '30000', '86400000', 'fingerprint', 'fenced', '1', '86400000', '1000']

const simpleAim = 2
const scriptAim = 4

export const redisCosts: readonly Cost[] = [
  command('GET', ['GET', 'key:1'], [['SET', 'key:1', 'value']]),
  command('SET', ['SET', 'key:1', 'value', 'PX', '30000']),
  command('HSET', ['HSET', 'hash:1', 'state', 'acquired', 'owner', 'me']),
  script('EVALSHA of a script with three calls', threeCalls, ['2', 'lease:1', 'record:1', 'me', '30000']),
  script("EVALSHA of the bench layer's acquire", scripts.acquire, ['2', 'result:1', 'lease:1', 'me', '30000']),
  {
    ...script("EVALSHA of the reference's acquire", acquire, ['2', 'record:1', 'generation', ...acquireArguments]),
    peer: undefined,
  },
  {
    name: 'a new server',
    times: 2000,
    prepare: () => (times) => {
      for (let made = 0; made < times; made++) ours.newServer()
    },
    peer: {
      name: peer.name,
      times: 500,
      prepare: async () => (times) => {
        for (let made = 0; made < times; made++) peer.newServer()
      },
    },
  },
]

function command(name: string, words: readonly string[], before: readonly string[][] = []): Cost {
  const check = (reply: string) => {
    if (reply.startsWith('-')) throw new Error(`${name} is answered with an error: ${reply}`)
  }
  return beside({ name, times: 200_000, peerTimes: 20_000, aim: simpleAim }, before, () => words, check)
}

/** Sends the script by its SHA-1, which SCRIPT LOAD returns. */
function script(name: string, body: string, rest: readonly string[]): Cost {
  const evalsha = ([sha]: readonly string[]) => ['EVALSHA', sha!.split('\r\n')[1]!, ...rest]
  const check = (reply: string) => {
    if (!/^:|acquired|busy/.test(reply)) throw new Error(`${name} is answered with ${JSON.stringify(reply)}`)
  }
  const sizes = { name, times: 50_000, peerTimes: 5000, aim: scriptAim }
  return beside(sizes, [['SCRIPT', 'LOAD', body]], evalsha, check)
}

/**
 * Measures one request next to js-redis-server. `before`: requests that prepare the measurement.
 * `words`: makes the measured request from the replies to `before`.
 */
function beside(
  { name, times, peerTimes, aim }: { name: string; times: number; peerTimes: number; aim: number },
  before: readonly (readonly string[])[],
  words: (replies: readonly string[]) => readonly string[],
  check: (reply: string) => void,
): Cost {
  return {
    name,
    times,
    prepare() {
      const send = ours.openClient()
      const bytes = ours.request(words(before.map((other) => send(ours.request(other)))))
      check(send(bytes))
      return (left) => {
        for (; left > 0; left--) send(bytes)
      }
    },
    peer: {
      name: peer.name,
      times: peerTimes,
      aim,
      async prepare(): Promise<Repeat> {
        const send = peer.openClient()
        const replies: string[] = []
        for (const other of before) replies.push((await send(peer.request(other))).toString('latin1'))
        const bytes = peer.request(words(replies))
        check((await send(bytes)).toString('latin1'))
        return async (left) => {
          for (; left > 0; left--) await send(bytes)
        }
      },
    },
  }
}
