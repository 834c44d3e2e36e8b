import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Handler } from 'redis-sim'
import { OK, type Reply } from 'redis-sim/resp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { replayTraffic } from '../../../src/campaign/crosscheck/replay-traffic.ts'
import type { RealRedis } from '../../../src/campaign/types.ts'
import { findRealRedis } from '../../../src/cli/real-redis.ts'
import type { TrafficEvent } from '../../../src/sim/world/traffic.ts'
import { needs } from '../../needs/needs.ts'
import { withChangedReplies, withExecution, withExpiry } from './planted-change.ts'

const offer = await findRealRedis(undefined)
const begin = 1_767_225_600_000

/** One client that sends each command at `atMs` after the start of the world. */
function traffic(...commands: [atMs: number, ...args: string[]][]): TrafficEvent[] {
  return [
    { kind: 'connected', client: 3 },
    ...commands.map(([atMs, ...args]) => ({
      kind: 'command' as const,
      client: 3,
      atUs: (begin + atMs) * 1000 + 7,
      args,
    })),
  ]
}

needs({ redis: '7.0' }).describe(
  `a run's commands on a real redis-server${offer.kind === 'none' ? ` (skipped: ${offer.reason})` : ''}`,
  () => {
    let real: RealRedis
    beforeAll(async () => {
      if (offer.kind === 'ready') real = await offer.start()
    })
    afterAll(() => real.stop())

    it('get the same replies hours apart in virtual time and at once in real time', async () => {
      const lease = traffic(
        [0, 'SET', 'lease', 'me', 'NX', 'PX', '30000'],
        [29_000, 'PTTL', 'lease'],
        [29_999, 'GET', 'lease'],
        [30_001, 'GET', 'lease'],
        [30_002, 'SET', 'lease', 'you', 'NX', 'PX', '30000'],
        [7_200_000, 'EXISTS', 'lease'],
      )
      const replayed = await replayTraffic(lease, real)
      expect(replayed.difference).toBeNull()
      expect(replayed.compared).toBe(6)
      expect([...replayed.leftOut]).toEqual([])
    })

    it('give scripts the time of the run, and compare the texts of their errors', async () => {
      const now = "-- ask\nlocal time = redis.call('TIME')\nreturn {time[1], time[2], ARGV[1], #ARGV}"
      const fails = "local time = redis.pcall('time')\nreturn redis.call('INCR', KEYS[1]) + time[1]"
      const replayed = await replayTraffic(
        traffic(
          [1, 'EVAL', now, '0', 'one'],
          [2, 'SCRIPT', 'LOAD', now],
          [90_000_000, 'EVALSHA', '4e08cbb5cd4b7d1ec0ae4cb6a6c0c24dcb2fe5b0', '0', 'unknown'],
          [90_000_001, 'SET', 'text', 'x'],
          [90_000_002, 'EVAL', fails, '1', 'text'],
        ),
        real,
      )
      expect(replayed).toMatchObject({ compared: 5, byRule: 0, difference: null })
    })

    it('go on after WAIT, which needs replicas', async () => {
      const { compared, leftOut } = await replayTraffic(
        traffic([0, 'SET', 'a', '1'], [1, 'WAIT', '1', '100'], [2, 'GET', 'a']),
        real,
      )
      expect(compared).toBe(2)
      expect([...leftOut]).toEqual([['replies of replicas (WAIT)', 1]])
    })

    it('may read the remaining lifetime of a key although a real clock went on', async () => {
      const asks = traffic(
        [0, 'SET', 'a', '1', 'PX', '60000'],
        [5, 'PTTL', 'a'],
        [20, 'MULTI'],
        [20, 'TTL', 'a'],
        [20, 'PTTL', 'a'],
        [20, 'GET', 'a'],
        [20, 'EXEC'],
      )
      for (const lateMs of [0, 20, 600]) {
        const replayed = await replayTraffic(asks, late(real, lateMs))
        expect(replayed).toMatchObject({ compared: 7, difference: null, leftOut: new Map() })
      }
    })

    describe('may be scripts that read the remaining lifetime of a key and use it in any way:', () => {
      const pttl = "redis.call('PTTL', KEYS[1])"
      const scripts = {
        'its milliseconds': `return ${pttl}`,
        'its seconds': "return redis.call('ttl', KEYS[1])",
        'less a margin': `return ${pttl} - 60000`,
        'seconds with a margin': "return redis.pcall('TTL', KEYS[1]) + 30",
        'a fraction': `return cjson.encode({left = ${pttl} / 1000})`,
        'the used part': `return 60505 - ${pttl}`,
        'a decision': `if ${pttl} > 60490 then return 'long' end return 'short'`,
        'a value': `redis.call('SET', KEYS[2], ${pttl}) return 1`,
        'a longer lifetime': `redis.call('PEXPIRE', KEYS[1], ${pttl} + 5000) return 1`,
        'another lifetime, read again': `redis.call('PEXPIRE', KEYS[1], ${pttl} - 50000) return redis.call('PTTL', KEYS[1])`,
        'a deadline': `local t = redis.call('TIME') return t[1] * 1000 + ${pttl}`,
        'a key without a lifetime': "return {redis.call('PTTL', 'gone'), redis.call('TTL', KEYS[2])}",
      }
      const events = (script: string, ...before: [number, ...string[]][]) =>
        traffic(
          // At 5 ms, one millisecond less changes the number of seconds.
          [0, 'SET', 'a', '1', 'PX', '60505'],
          [1, 'SET', 'b', '1'],
          ...before,
          [5, 'EVAL', script, '2', 'a', 'b'],
          [6, 'SCRIPT', 'LOAD', script],
          [7, 'EVALSHA', sha1(script), '2', 'a', 'b'],
          [9, 'GET', 'b'],
        )

      it.each(Object.keys(scripts) as (keyof typeof scripts)[])('%s', async (name) => {
        for (const lateMs of [0, 20]) {
          const replayed = await replayTraffic(events(scripts[name]), late(real, lateMs))
          expect(replayed).toMatchObject({ compared: 6, byRule: 0, difference: null, leftOut: new Map() })
        }
      })

      const oneMore = (original: Handler): Handler => {
        return (session, args) => (original(session, args) as number) + 1
      }
      it.each(['its milliseconds', 'less a margin', 'the used part'] as const)(
        'are reported if the model returns a millisecond more: %s',
        async (name) => {
          for (const lateMs of [0, 20]) {
            const replay = () => replayTraffic(events(scripts[name]), late(real, lateMs))
            expect((await withExecution('pttl', oneMore, replay)).difference?.command).toMatch(/^EVAL "/)
          }
        },
      )

      it.each(['8', '5000'])('are reported for a wrong count beside the lifetime (%s)', async (count) => {
        const counts = "return {redis.call('INCR', KEYS[2]), redis.call('PTTL', KEYS[1])}"
        const counted = events(counts, [2, 'SET', 'b', count])
        for (const lateMs of [0, 20]) {
          expect((await replayTraffic(counted, late(real, lateMs))).difference).toBeNull()
          const wrong = await withExecution('incr', oneMore, () => replayTraffic(counted, late(real, lateMs)))
          expect(wrong.difference?.command).toMatch(/^EVAL "return \{redis/)
        }
      })

      it('end the replay in a transaction, which runs them later', async () => {
        const { compared, leftOut } = await replayTraffic(
          traffic(
            [0, 'SET', 'a', '1', 'PX', '60000'],
            [1, 'MULTI'],
            [2, 'EVAL', scripts['its milliseconds'], '1', 'a'],
            [3, 'EXEC'],
          ),
          real,
        )
        expect(compared).toBe(2)
        expect([...leftOut]).toEqual([['server introspection or the clock, in a transaction', 2]])
      })
    })

    it('end before scripts whose keys have too little time left, even if only a digest is sent', async () => {
      const left = "return redis.call('PTTL', KEYS[1])"
      const { compared, leftOut } = await replayTraffic(
        traffic(
          [0, 'SCRIPT', 'LOAD', left],
          [0, 'SET', 'a', '1', 'PX', '60000'],
          [59_500, 'EVALSHA', sha1(left), '1', 'a'],
        ),
        real,
      )
      expect(compared).toBe(2)
      expect([...leftOut]).toEqual([['TTLs too short for a real clock', 1]])
    })

    it.each([
      ['the lifetime of a key, by a computed name', 'return redis.call(ARGV[1], KEYS[1])', 'PTTL'],
      ['the lifetime of a key, by a concatenated name', "return redis.call('P' .. 'tt' .. 'l', KEYS[1])", ''],
      ['the time, by a computed name', 'return redis.call(ARGV[1])[1]', 'TIME'],
    ])('end at scripts that ask for %s', async (_what, script, name) => {
      const events = traffic(
        [0, 'SET', 'a', '1', 'PX', '60000'],
        [40_000, 'EVAL', script, '1', 'a', name],
        [40_001, 'GET', 'a'],
      )
      const { compared, difference, leftOut } = await replayTraffic(events, real)
      expect(difference).toBeNull()
      expect(compared).toBe(1)
      expect([...leftOut]).toEqual([['a script that computes the names of its commands', 2]])
    })

    it('go on after scripts with computed names of commands that do not depend on a clock', async () => {
      const push =
        "local command = ARGV[1] == 'left' and 'LPUSH' or 'RPUSH' return redis.call(command, KEYS[1], ARGV[2])"
      const events = traffic(
        [0, 'EVAL', push, '1', 'list', 'left', 'a'],
        [1, 'EVAL', 'return redis.call(ARGV[1], KEYS[1])', '1', 'list', 'LLEN'],
      )
      expect(await replayTraffic(events, real)).toMatchObject({ compared: 2, difference: null, leftOut: new Map() })
    })

    it('end at a script that gets a random command or an absolute deadline as an argument', async () => {
      const members = traffic(
        [0, 'SADD', 'set', 'a', 'b', 'c'],
        [1, 'EVAL', 'return redis.call(ARGV[1], KEYS[1])', '1', 'set', 'SRANDMEMBER'],
      )
      expect([...(await replayTraffic(members, real)).leftOut]).toEqual([['chance', 1]])
      const sets = "return redis.call('SET', KEYS[1], '1', ARGV[1], ARGV[2])"
      const deadline = traffic([0, 'EVAL', sets, '1', 'a', 'PXAT', String(begin + 60_000)])
      expect([...(await replayTraffic(deadline, real)).leftOut]).toEqual([
        ['commands that depend on the clock of Redis', 1],
      ])
    })

    it('end if a machine stood still for longer than the keys had to live', async () => {
      const commands = traffic(
        [0, 'SET', 'a', '1', 'PX', '30000'],
        [29_900, 'PING'],
        [29_901, 'GET', 'a'],
        [29_950, 'GET', 'a'],
      )
      expect(await replayTraffic(commands, real)).toMatchObject({ compared: 4, difference: null })
      const { difference, leftOut } = await replayTraffic(commands, late(real, 1200))
      expect(difference).toBeNull()
      expect([...leftOut.keys()]).toEqual(['keys that expired on a slow machine'])
    })

    it('end at a fault of the server, and count the skipped commands', async () => {
      const events = traffic([0, 'SET', 'a', '1'], [1, 'INFO'], [2, 'GET', 'a'], [3, 'GET', 'a'])
      const struck = [...events.slice(0, 4), { kind: 'fault', what: 'a restart' } as const, ...events.slice(4)]
      const { compared, leftOut } = await replayTraffic(struck, real)
      expect(compared).toBe(2)
      expect([...leftOut]).toEqual([
        ['server introspection', 1],
        ['a restart', 1],
      ])
    })

    it('compare transactions command by command, and end before one that reads the time', async () => {
      const whole = traffic([0, 'WATCH', 'a'], [1, 'MULTI'], [2, 'INCR', 'a'], [3, 'SADD', 's', 'x', 'y'], [4, 'EXEC'])
      expect(await replayTraffic(whole, real)).toMatchObject({ compared: 5, difference: null })
      const timed = traffic([0, 'MULTI'], [1, 'TIME'], [2, 'EXEC'])
      expect(await replayTraffic(timed, real)).toMatchObject({ compared: 1, difference: null })
    })

    it('update the lifetime of a watched key after time has moved on', async () => {
      const commands = traffic(
        [0, 'SET', 'a', '1', 'PX', '60000'],
        [1, 'WATCH', 'a'],
        [500, 'GET', 'a'],
        [500, 'UNWATCH'],
        [500, 'PTTL', 'a'],
      )
      expect(await replayTraffic(commands, real)).toMatchObject({ compared: 5, difference: null })
    })

    it.each([
      ['XADD', 's', '*', 'f', 'v'],
      ['EVAL', "return redis.call('SPOP', KEYS[1])", '1', 'set'],
      ['SET', 'a', '1', 'PXAT', '1767225700000'],
      ['PEXPIRE', 'a', '505', 'GT'],
      ['EXPIRE', 'a', '1', 'LT'],
      ['EVAL', "return redis.call('PEXPIRE', KEYS[1], 505, 'GT')", '1', 'a'],
      ['EVAL', "return redis.call('PEXPIRE', KEYS[1], 505, ARGV[1])", '1', 'a', 'LT'],
      ['BLPOP', 'nothing', '0'],
      ['SUBSCRIBE', 'news'],
      ['CONFIG', 'SET', 'maxmemory', '1'],
      ['SHUTDOWN'],
    ])('end before %s', async (...args) => {
      const { compared, leftOut } = await replayTraffic(
        traffic([0, 'SET', 'a', '1'], [1, ...args], [2, 'GET', 'a']),
        real,
      )
      expect(compared).toBe(1)
      expect([...leftOut.values()].reduce((sum, commands) => sum + commands, 0)).toBe(2)
    })

    describe('show the errors of a wrong model:', () => {
      it.each([
        ['get', 'GET a'],
        ['hset', 'HSET h f v'],
        ['incr', 'EVAL "return redis.call(\'INCR\', KEYS[1])" 1 n'],
      ])('one byte of a reply of %s', async (name, command) => {
        const events = traffic(
          [0, 'SET', 'a', '1'],
          [1, 'GET', 'a'],
          [2, 'HSET', 'h', 'f', 'v'],
          [3, 'EVAL', "return redis.call('INCR', KEYS[1])", '1', 'n'],
        )
        const { difference } = await withChangedReplies(name, () => replayTraffic(events, real))
        expect(difference?.command.replaceAll('\\x27', "'")).toBe(command)
        expect(difference?.real).not.toBe(difference?.model)
      })

      it.each([
        [20, 'lifetime of a before PING'],
        [0, 'PTTL a after the run'],
      ])(
        'a lifetime that it fails to remove, although every reply is right (PING after %d ms)',
        async (ms, command) => {
          const events = traffic([0, 'SET', 'a', '1', 'PX', '60000'], [1, 'PERSIST', 'a'], [1 + ms, 'PING'])
          const { difference } = await withoutEffect('persist', 1, () => replayTraffic(events, real))
          expect(difference?.command).toBe(command)
        },
      )

      it('a lifetime of a different length', async () => {
        const events = traffic([0, 'SET', 'a', '1'], [1, 'EXPIRE', 'a', '60'], [9, 'PING'])
        expect((await replayTraffic(events, real)).difference).toBeNull()
        const longer =
          (original: Handler): Handler =>
          (session, [name, key, seconds]) =>
            original(session, [name!, key!, String(Number(seconds) + 1)])
        const { difference } = await withExecution('expire', longer, () => replayTraffic(events, real))
        expect(difference?.command).toBe('lifetime of a before PING')
      })

      it('a lifetime that is 250 ms too long, on a machine that is slower than that', async () => {
        const longer =
          (original: Handler): Handler =>
          (session, [name, key, ms]) =>
            original(session, [name!, key!, String(Number(ms) + 250)])
        const events = traffic([0, 'SET', 'a', '1'], [1, 'PEXPIRE', 'a', '60000'], [9, 'PING'])
        const { difference } = await withExecution('pexpire', longer, () => replayTraffic(events, late(real, 400)))
        expect(difference?.command).toBe('lifetime of a before PING')
      })

      it.each([
        ['a day late', 86_400_000],
        ['a millisecond late', 1],
        ['a second early', -1000],
      ])('keys that expire %s, although no command of the sample comes so late', async (_, lateMs) => {
        const events = traffic(
          [0, 'SET', 'a', '1', 'PX', '60000'],
          [5, 'HSET', 'h', 'f', 'v'],
          [6, 'PEXPIRE', 'h', '5000'],
        )
        expect((await replayTraffic(events, real)).difference).toBeNull()
        const { difference } = await withExpiry(lateMs, () => replayTraffic(events, real))
        expect(difference?.command).toMatch(/^EXISTS h (after|until) its deadline$/)
      })

      it.each([
        ['the run is over', []],
        ['a fault strikes the server', [{ kind: 'fault', what: 'a restart' } as const]],
      ])('a value that it does not store, when %s', async (_, more) => {
        const events = [...traffic([0, 'SET', 'a', '1']), ...more]
        const { difference } = await withoutEffect('set', OK, () => replayTraffic(events, real))
        expect(difference?.command).toBe('DBSIZE after the run')
      })
    })
  },
)

/** A server on a machine on which every fourth exchange takes `ms` longer. */
function late(real: RealRedis, ms: number): RealRedis {
  let exchanges = 0
  return {
    ...real,
    open: async () => {
      const client = await real.open()
      return {
        destroy: () => client.destroy(),
        nowMs: () => client.nowMs(),
        exchange: async (bytes, replies) => {
          if (++exchanges % 4 === 0) await setTimeout(ms)
          return client.exchange(bytes, replies)
        },
      }
    },
  }
}

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex')

/** While `work` runs, a command only answers. */
function withoutEffect<T>(name: string, reply: Reply, work: () => Promise<T>): Promise<T> {
  return withExecution(name, () => () => reply, work)
}
