import { Redis, type RedisOptions } from 'ioredis'
import { describe, expect, it } from 'vitest'
import type { PlannedFault, RedisPlan } from '../../../src/contract/plan.ts'
import { done, type Play, play } from '../world-lab.ts'

/** A layer that sets a key for five seconds, performs, and takes the key away. */
const locking = {
  create: ({ redis: { options } }: { redis: { options: object } }) => {
    const redis = new Redis({ ...(options as RedisOptions), replyMapping: 'legacy' })
    redis.on('error', () => {})
    return {
      handle: async () => {
        await redis.set('lock', 'mine', 'PX', 5000, 'NX')
        await redis.del('lock')
        return done
      },
      close: () => redis.disconnect(),
    }
  },
}

const filmed = async (more: Play = {}) => {
  const played = await play(locking, { ...more, film: true })
  return { ...played, film: played.film! }
}
const at = (ms: number) => ({ at: 'time', ms }) as const

describe('a filmed run', () => {
  const faults: PlannedFault[] = [
    { kind: 'pause', consumer: 0, when: at(1), healAfterMs: 30 },
    { kind: 'clock-step', machine: 0, byMs: 3000, when: at(5), healAfterMs: 20 },
  ]

  it('is the run that it is without a film, and only it has one', async () => {
    const plain = await play(locking, { faults })
    const { digest, historyDigest, trail, film } = await filmed({ faults })
    expect({ digest, historyDigest, trail: trail.text }).toEqual({
      digest: plain.digest,
      historyDigest: plain.historyDigest,
      trail: plain.trail.text,
    })
    expect(plain.film).toBeNull()
    expect(film).not.toBeNull()
  })

  it('shows the way of each command, and the event of its execution', async () => {
    const { film, history } = await filmed()
    const steps = film.commands.filter(({ label }) => label === 'SET' || label === 'DEL')
    expect(steps.map(({ process, node, label }) => [process, node, label])).toEqual([
      ['consumer-1', 'redis', 'SET'],
      ['consumer-1', 'redis', 'DEL'],
    ])
    for (const { sentUs, executedUs, repliedUs, lostUs, seq, label } of steps) {
      expect(sentUs).toBeLessThan(executedUs!)
      expect(executedUs).toBeLessThan(repliedUs!)
      expect(lostUs).toBeNull()
      expect(history.events[seq!]).toMatchObject({
        type: 'command',
        command: expect.stringMatching(new RegExp(label, 'i')),
      })
    }
  })

  it('shows each of the commands that leave together, and not what a client sends on its own account', async () => {
    const pipelined = {
      create: ({ redis: { options } }: { redis: { options: object } }) => {
        const redis = new Redis({ ...(options as RedisOptions), replyMapping: 'legacy' })
        redis.on('error', () => {})
        return {
          handle: async () => {
            await redis.pipeline().set('a', 'x\r\n*1\r\n').client('ID').eval('return 1', 0).get('a').exec()
            return done
          },
          close: () => redis.disconnect(),
        }
      },
    }
    const { commands } = (await play(pipelined, { film: true })).film!
    const labels = ['SET', expect.stringMatching(/^EVALSHA [0-9a-f]{8}$/), 'GET']
    expect(commands.map(({ label }) => label)).toEqual(labels)
    expect(new Set(commands.map(({ sentUs }) => sentUs)).size).toBe(1)
    expect(commands.every(({ sentUs, executedUs }) => sentUs < executedUs!)).toBe(true)
  })

  it('puts a change of a key down to the command that made it, with its expiry by the server', async () => {
    const { film } = await filmed()
    const [set, del] = film.commands.filter(({ label }) => label === 'SET' || label === 'DEL')
    expect(film.keys).toMatchObject([
      { node: 'redis', key: 'lock', value: 'mine', by: film.commands.indexOf(set!) },
      { node: 'redis', key: 'lock', value: null, by: film.commands.indexOf(del!) },
    ])
    expect(film.keys[0]!.expireAtMs! - film.beganMs).toBeCloseTo(set!.executedUs! / 1000 + 5000, -1)
  })

  it('shows a reply that was lost, and a request that was', async () => {
    const lost = async (kind: string, boundary: 'command-executed' | 'command-unexecuted') => {
      const fault = { kind, when: { at: boundary, consumer: 0, nth: 1 } } as const
      return (await filmed({ faults: [fault] })).film.commands.find(({ lostUs }) => lostUs !== null)
    }
    expect(await lost('lost-reply', 'command-executed')).toMatchObject({
      repliedUs: null,
      executedUs: expect.any(Number),
    })
    expect(await lost('lost-request', 'command-unexecuted')).toMatchObject({
      repliedUs: null,
      executedUs: null,
      seq: null,
    })
    expect((await filmed()).film.commands.find(({ lostUs }) => lostUs !== null)).toBeUndefined()
  })

  it('shows how far a clock is off, and since when', async () => {
    const { film } = await filmed({ faults })
    const own = film.clocks.filter(({ machine }) => machine === 'consumer-1')
    expect(own.map(({ atUs, aheadUs }) => [atUs, aheadUs])).toEqual([
      [0, 0],
      [5000, 3_000_000],
      [25_000, 0],
    ])
    expect((await filmed()).film.clocks.filter(({ aheadUs }) => aheadUs !== 0)).toEqual([])
  })

  it('shows who takes itself for the primary, and copies that no command of a consumer made', async () => {
    const redis: RedisPlan = {
      ...{ replicas: 1, sentinels: 3, downAfterMs: 500, failoverTimeoutMs: 5000, keeps: 'nothing' },
      ...{ minReplicasToWrite: 0, fullSyncMs: 50, loadingMs: 0 },
    }
    const stop: PlannedFault = { kind: 'machine-restart', who: 'primary', which: 0, when: at(300), healAfterMs: 10_000 }
    const { film } = await filmed({ redis, faults: [stop] })
    expect(film.servers).toEqual(['redis-1', 'redis-2'])
    const roles = film.roles.map(({ node, role }) => `${node} ${role}`)
    expect(roles.slice(0, 2)).toEqual(['redis-1 primary', 'redis-2 replica'])
    expect(roles.slice(2)).toEqual(expect.arrayContaining(['redis-1 down', 'redis-2 primary']))
    expect(film.keys.filter(({ node }) => node === 'redis-2')[0]).toMatchObject({ key: 'lock', value: 'mine' })
    expect(film.keys.filter(({ node }) => node === 'redis-2')[0]).not.toHaveProperty('by')
  })
})
