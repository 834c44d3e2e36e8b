import net from 'node:net'
import type { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { done, errorOf, gaveUp, layer, nowMs, type Play, play, sleep, withAndWithout } from '../../sim/world-lab.ts'

/**
 * Sends the same to Redis before, during and after a fault that strikes at 500 ms and heals at 1500
 * ms.
 */
async function around(ask: (redis: Redis) => Promise<unknown>, kind: string, options: Play = {}) {
  const answers: unknown[] = []
  const errors: string[] = []
  const adapter = () =>
    layer(async (_, redis) => {
      for (const ms of [100, 1000, 3000]) {
        await sleep(ms - nowMs())
        answers.push(await ask(redis))
      }
      return done
    }, errors)
  const fault = { kind, when: { at: 'time', ms: 500 }, healAfterMs: 1000 } as const
  const { struck, spared } = await withAndWithout(adapter, fault, options)
  expect(spared.of('fault-struck')).toEqual([])
  expect(struck.of('fault-struck')).toMatchObject([{ fault: kind }])
  return { struck, spared, errors, answers: answers.slice(0, 3), calmAnswers: answers.slice(3) }
}

const info = async (redis: Redis, field: string) => new RegExp(`^${field}:(.*)\r$`, 'm').exec(await redis.info())![1]

describe('slow-redis', () => {
  it('executes nothing until it heals, then everything', async () => {
    const { struck, answers, calmAnswers } = await around(async (redis) => {
      await redis.incr('n')
      return Math.round(nowMs() / 10)
    }, 'slow-redis')
    expect(answers).toEqual([10, 150, 300])
    expect(calmAnswers).toEqual([10, 100, 300])
    expect(struck.of('fault-healed')).toMatchObject([
      { sentence: 'redis executes the waiting commands', atUs: 1_500_000 },
    ])
  })

  it('can stop within a pipeline', async () => {
    const seen: unknown[] = []
    const adapter = () =>
      layer(async (_, redis) => {
        const two = [redis.incr('n').then(nowMs), redis.incr('n').then(nowMs)]
        seen.push(...(await Promise.all(two)).map((ms) => ms >= 1000))
        return done
      })
    const fault = {
      kind: 'slow-redis',
      when: { at: 'command-executed', consumer: 0, nth: 1 },
      healAfterMs: 1000,
    } as const
    await withAndWithout(adapter, fault)
    expect(seen).toEqual([false, true, false, false])
  })

  it('executes commands of a client that is gone by then', async () => {
    const adapter = () =>
      layer(async (_, redis) => {
        if (nowMs() < 1000) await redis.set('k', nowMs() < 1000 ? 'of the dead' : 'v')
        return { status: 'done', result: await redis.get('k') }
      })
    const slow = { kind: 'slow-redis', when: { at: 'command-unsent', consumer: 0, nth: 1 }, healAfterMs: 2000 } as const
    const crash = { kind: 'crash', when: { at: 'time', ms: 400 }, consumer: 0, healAfterMs: 2000 } as const
    const { of } = await play(adapter(), { faults: [slow, crash] })
    expect(of('command')).toMatchObject([
      { process: 'consumer-1', command: 'set k "of the dead"' },
      { process: 'consumer-1.2' },
    ])
    expect(of('reply-lost')).toMatchObject([{ process: 'consumer-1', command: 'SET' }])
    expect(of('answered')).toMatchObject([{ outcome: { result: 'of the dead' } }])
  })
})

describe('redis-restart', () => {
  it('refuses connections during the fault, and is a different, empty server afterwards', async () => {
    const { struck, spared, answers, calmAnswers, errors } = await around(
      (redis) =>
        Promise.all([info(redis, 'master_replid'), redis.set('k', 'v', 'GET')]).catch((error: Error) => error.message),
      'redis-restart',
    )
    const [before, while_, after] = answers as [string[], unknown, string[]]
    expect(before[1]).toBe(null)
    expect(while_).toMatch(/max retries/)
    expect(after[1]).toBe(null)
    expect(after[0]).toMatch(/^[0-9a-f]{40}$/)
    expect(after[0]).not.toBe(before[0])
    expect(errors).toContain('read ECONNRESET')
    expect(errors).toContain('connect ECONNREFUSED 10.0.0.1:6379')
    expect((calmAnswers as string[][]).map(([replid]) => replid === before[0])).toEqual([true, true, true])
    expect((calmAnswers as string[][]).map(([, old]) => old)).toEqual([null, 'v', 'v'])
    expect(struck.of('data-lost')).toMatchObject([{ cause: 'restart', redisKeys: ['k'] }])
    expect(spared.of('data-lost')).toEqual([])
  })

  it('strikes only once if it overlaps: writes in between are not lost silently', async () => {
    const seen: unknown[] = []
    const adapter = layer(async (_, redis) => {
      await sleep(1500)
      await errorOf(redis.ping())
      seen.push(await redis.set('k', 'v'))
      await sleep(3000 - nowMs())
      seen.push(await redis.get('k'))
      return done
    })
    const restart = (ms: number) => ({ kind: 'redis-restart', when: { at: 'time', ms }, healAfterMs: 1000 }) as const
    const { of } = await play(adapter, { faults: [restart(100), restart(900)] })
    expect(seen).toEqual(['OK', 'v'])
    expect(of('fault-struck')).toHaveLength(1)
    expect(of('data-lost')).toHaveLength(1)
  })

  it('keeps a stalled server stalled, and drops waiting commands', async () => {
    const seen: unknown[] = []
    const adapter = layer(async (_, redis) => {
      await sleep(150)
      seen.push(await errorOf(redis.set('k', 'v')), nowMs() < 1000)
      seen.push(await redis.get('k'), nowMs() > 2000)
      return done
    })
    const stall = { kind: 'slow-redis', when: { at: 'time', ms: 100 }, healAfterMs: 2000 } as const
    const restart = { kind: 'redis-restart', when: { at: 'time', ms: 500 }, healAfterMs: 100 } as const
    await play(adapter, { faults: [stall, restart] })
    expect(seen).toEqual([gaveUp, true, null, true])
  })

  it('leaves no keys to count if it never heals', async () => {
    const adapter = layer(async (_, redis) => {
      await errorOf(redis.set('k', 'v'))
      await sleep(1000)
      return done
    })
    const fault = { kind: 'redis-restart', when: { at: 'time', ms: 500 } } as const
    const { of } = await play(adapter, { faults: [fault] })
    expect(of('keys-counted')).toMatchObject([{ keys: 0, withoutExpiry: 0, namesWithoutExpiry: [] }])
    const calm = await play(adapter)
    expect(calm.of('keys-counted')).toMatchObject([{ keys: 1, withoutExpiry: 1, namesWithoutExpiry: ['k'] }])
  })

  it('lets no other fault strike a dead server', async () => {
    const restart = { kind: 'redis-restart', when: { at: 'time', ms: 100 }, healAfterMs: 1000 } as const
    const kinds = ['slow-redis', 'eviction', 'redis-flushed', 'scripts-flushed', 'redis-busy', 'redis-out-of-memory']
    const faults = kinds.map((kind): PlannedFault => ({ kind, when: { at: 'time', ms: 500 }, healAfterMs: 100 }))
    const { of } = await play(
      layer(() => sleep(3000).then(() => done)),
      { faults: [restart, ...faults] },
    )
    expect(of('fault-struck').map(({ fault }) => fault)).toEqual(['redis-restart'])
  })
})

describe('eviction', () => {
  it('removes keys, counts them, and changes the policy until it heals', async () => {
    const { struck, spared, answers, calmAnswers } = await around(async (redis) => {
      for (const key of 'abcdefgh') await redis.set(key, 1, 'NX')
      return [await info(redis, 'maxmemory_policy'), Number(await info(redis, 'evicted_keys'))]
    }, 'eviction')
    const gone = struck.of('data-lost')[0]!.redisKeys!.length
    expect(gone).toBeGreaterThan(0)
    expect(answers).toEqual([
      ['noeviction', 0],
      ['allkeys-random', gone],
      ['noeviction', gone],
    ])
    expect(calmAnswers.flat()).not.toContain('allkeys-random')
    expect(
      struck.of('command').filter(({ command, reply }) => command.startsWith('set') && reply === 'OK'),
    ).toHaveLength(8 + gone)
    expect(spared.of('data-lost')).toEqual([])
  })
})

describe('redis-flushed', () => {
  it('empties the server, which keeps its identity', async () => {
    const { struck, answers, calmAnswers } = await around(
      (redis) => Promise.all([redis.set('k', 'v', 'GET'), info(redis, 'master_replid'), info(redis, 'evicted_keys')]),
      'redis-flushed',
    )
    const [[, replid]] = answers as [string[]]
    expect(answers).toEqual([
      [null, replid, '0'],
      [null, replid, '0'],
      ['v', replid, '0'],
    ])
    expect((calmAnswers as string[][]).map(([old]) => old)).toEqual([null, 'v', 'v'])
    expect(struck.of('data-lost')).toMatchObject([{ cause: 'flush', redisKeys: ['k'] }])
  })
})

describe('scripts-flushed', () => {
  it('answers NOSCRIPT until the script is loaded again', async () => {
    const sha = 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db' // return 1
    let loaded = 0
    const { answers, calmAnswers } = await around(async (redis) => {
      if (loaded++ % 3 === 0) await redis.script('LOAD', 'return 1')
      return redis.evalsha(sha, 0).catch((error: Error) => error.message.slice(0, 8))
    }, 'scripts-flushed')
    expect(answers).toEqual([1, 'NOSCRIPT', 'NOSCRIPT'])
    expect(calmAnswers).toEqual([1, 1, 1])
  })
})

const firstWord = (error: Error) => error.message.split(' ', 1)[0]
const script = `local v = redis.call('GET', 'k'); redis.call('SET', 'k', 'w'); return v`

describe.each([
  ['redis-out-of-memory', { write: 'OOM', read: null, script: 'OOM' }],
  ['redis-busy', { write: 'BUSY', read: 'BUSY', script: 'BUSY' }],
  ['redis-loading', { write: 'LOADING', read: 'LOADING', script: 'LOADING' }],
] as const)('%s', (kind, expected) => {
  it('refuses the same as a real server, and executes nothing of it', async () => {
    const { answers, calmAnswers } = await around(
      async (redis) => ({
        write: await redis.append('n', 'x').catch(firstWord),
        read: await redis.get('never').catch(firstWord),
        script: await redis.eval(script, 1, 'k').catch(firstWord),
      }),
      kind,
    )
    expect(answers).toEqual([{ write: 1, read: null, script: null }, expected, { write: 2, read: null, script: 'w' }])
    expect(calmAnswers.map((answer) => (answer as { write: number }).write)).toEqual([1, 2, 3])
  })

  it('strikes only once if it overlaps', async () => {
    const fault = (ms: number) => ({ kind, when: { at: 'time', ms }, healAfterMs: 1000 }) as const
    const { of } = await play(
      layer(() => sleep(3000).then(() => done)),
      { faults: [fault(10), fault(500)] },
    )
    expect(of('fault-struck')).toHaveLength(1)
    expect(of('fault-healed')).toMatchObject([{ atUs: 1_010_000 }])
  })
})

describe('connection-limit', () => {
  it('refuses new clients with an error, and does not affect the others', async () => {
    const ask = async (redis: Redis) => {
      const reported = await new Promise<string>((resolve) => {
        const socket = net.connect(6379, 'redis')
        socket.write('*1\r\n$4\r\nPING\r\n')
        socket.once('data', (data) => resolve(`${data}`))
      })
      return [await redis.ping(), reported]
    }
    const { answers, calmAnswers } = await around(ask, 'connection-limit')
    expect(answers).toEqual([
      ['PONG', '+PONG\r\n'],
      ['PONG', '-ERR max number of clients reached\r\n'],
      ['PONG', '+PONG\r\n'],
    ])
    expect(calmAnswers).toEqual([1, 2, 3].map(() => ['PONG', '+PONG\r\n']))
  })
})

describe.each(['slow-redis', 'eviction', 'connection-limit'])('%s', (kind) => {
  it('strikes only once if it overlaps, and lasts as long as the first', async () => {
    const fault = (ms: number, healAfterMs: number): PlannedFault => ({ kind, when: { at: 'time', ms }, healAfterMs })
    const { of } = await play(
      layer(() => sleep(3000).then(() => done)),
      { faults: [fault(10, 1000), fault(500, 10), fault(2000, 10)] },
    )
    expect(of('fault-struck').map(({ index }) => index)).toEqual([0, 2])
    expect(of('fault-healed').map(({ atUs }) => atUs)).toEqual([1_010_000, 2_010_000])
  })
})

describe('dns-failure', () => {
  it('breaks the connections, and the server cannot be resolved during the fault', async () => {
    const { struck, errors, answers, calmAnswers } = await around((redis) => errorOf(redis.ping()), 'dns-failure')
    expect(answers).toEqual([null, gaveUp, null])
    expect(calmAnswers).toEqual([null, null, null])
    expect(errors).toContain('read ECONNRESET')
    expect(errors).toContain('getaddrinfo ENOTFOUND redis')
    expect(struck.of('fault-healed')).toMatchObject([{ sentence: 'the name of redis resolves again' }])
  })

  it('strikes only once if it overlaps, and lasts as long as the first', async () => {
    const fault = (ms: number, healAfterMs: number) =>
      ({ kind: 'dns-failure', when: { at: 'time', ms }, healAfterMs }) as const
    const { of } = await play(
      layer(() => sleep(3000).then(() => done)),
      { faults: [fault(10, 1000), fault(500, 10)] },
    )
    expect(of('fault-struck')).toHaveLength(1)
    expect(of('fault-healed')).toMatchObject([{ atUs: 1_010_000 }])
  })
})
