import { Redis, type RedisOptions } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { reached } from '../../../src/campaign/goals/index.ts'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { done, type Play, play } from '../world-lab.ts'

const at = (ms: number) => ({ at: 'time', ms }) as const

/** A layer that does `work` with its own client, and ignores errors. */
const working = (work: (redis: Redis) => Promise<unknown>, options: RedisOptions = {}) => ({
  create: ({ redis: { options: place } }: { redis: { options: object } }) => {
    const redis = new Redis({ ...place, ...options, replyMapping: 'legacy' })
    redis.on('error', () => {})
    return {
      handle: async () =>
        work(redis).then(
          () => done,
          () => done,
        ),
      close: () => redis.disconnect(),
    }
  },
})

const orphaned = async (adapter: ReturnType<typeof working>, faults: readonly PlannedFault[], more: Play = {}) => {
  const played = await play(adapter, { visibilityMs: 300_000, ...more, faults })
  expect(played.unsupported).toEqual([])
  return { ...played, how: played.of('command-strayed').map(({ how, command }) => `${how} ${command}`) }
}

describe('a command that timed out', () => {
  const stalls = [{ kind: 'slow-redis', when: at(500), healAfterMs: 2000 }]
  const late = async (redis: Redis) => {
    await new Promise((resolve) => setTimeout(resolve, 600))
    await redis.set('k', 1)
  }
  const given: RedisOptions = { socketTimeout: 300, maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false }

  it('is still executed when the server resumes', async () => {
    const { how, history } = await orphaned(working(late, given), stalls)
    expect(how).toEqual(['given-up SET'])
    expect(reached('a-command-was-executed-after-its-client-had-given-up', history)).toBe(true)
  })

  it('does not exist with a client without limits', async () => {
    expect((await orphaned(working(late), stalls)).how).toEqual([])
  })
})

describe('a command of a process that crashed', () => {
  const faults = (ms: number): PlannedFault[] => [
    { kind: 'partition', node: 'redis', way: 'both', consumer: 0, when: at(500), healAfterMs: 1000 },
    { kind: 'crash', consumer: 0, when: at(ms), healAfterMs: 2000 },
  ]
  const late = async (redis: Redis) => {
    await new Promise((resolve) => setTimeout(resolve, 600))
    await redis.set('k', 1)
  }

  /** A crash sends any prefix of the written bytes. With some seed, that is everything. */
  const ways = async (crashMs: number) => {
    const seen = new Set<string>()
    for (const seed of [1, 2, 3, 4])
      for (const how of (await orphaned(working(late), faults(crashMs), { seed })).how) seen.add(how)
    return seen
  }

  it('is executed if it was in flight', async () => {
    expect(await ways(800)).toEqual(new Set(['outlived SET']))
  })

  it('is not executed if it had not been sent', async () => {
    expect(await ways(550)).toEqual(new Set())
  })
})

describe('a client that is offline for minutes', () => {
  const faults = [
    { kind: 'partition', node: 'redis', way: 'both', consumer: 0, when: at(20), healAfterMs: 90_000 },
    { kind: 'connection-reset', consumer: 0, when: at(20) },
  ]
  const late = async (redis: Redis) => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    await redis.set('k', 1)
  }

  it('sends its queue when it is back', async () => {
    const { how, history } = await orphaned(working(late), faults)
    expect(how).toEqual(['held-back SET'])
    expect(reached('an-offline-queue-was-sent-minutes-later', history)).toBe(true)
  })

  it('sends nothing if it has no queue', async () => {
    expect((await orphaned(working(late, { enableOfflineQueue: false }), faults)).how).toEqual([])
  })
})

describe('a connection that breaks after the first of two commands', () => {
  const once: RedisOptions = { maxRetriesPerRequest: 0 }
  const breaks = [{ kind: 'lost-reply', when: { at: 'command-executed', consumer: 0, nth: 1 } } as const]
  const torn = async (work: (redis: Redis) => Promise<unknown>) => {
    const { history, how } = await orphaned(working(work, once), breaks)
    return [reached('half-a-pipeline-was-executed', history), ...how]
  }

  it('tears a pipeline', async () => {
    expect(await torn((redis) => Promise.all([redis.set('k', 1), redis.incr('n')]))).toEqual([true, 'torn INCR'])
    expect(await torn((redis) => redis.pipeline().set('k', 1).incr('n').exec())).toEqual([true, 'torn INCR'])
  })

  it('does not tear if the second command waits for the first, or if only MULTI was executed', async () => {
    expect(await torn(async (redis) => [await redis.set('k', 1), await redis.incr('n')])).toEqual([false])
    expect(await torn((redis) => redis.multi().set('k', 1).exec())).toEqual([false])
  })
})

describe('a connection that breaks under WAIT', () => {
  const redis = {
    replicas: 2,
    sentinels: 3,
    downAfterMs: 9000,
    failoverTimeoutMs: 2000,
    keeps: 'nothing' as const,
    minReplicasToWrite: 0,
    fullSyncMs: 0,
    loadingMs: 0,
  }
  const faults = [
    { kind: 'machine-cut-off', who: 'primary', which: 0, from: 'servers', when: at(10), healAfterMs: 5000 },
    { kind: 'connection-reset', consumer: 0, when: at(1000) },
  ]
  const write = async (client: Redis) => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    await client.set('k', 1)
    await client.wait(2, 3000)
  }

  it('makes the client resend it on another connection', async () => {
    const { how, history } = await orphaned(working(write), faults, { redis })
    expect(how).toEqual(['sent-again WAIT'])
    expect(reached('a-wait-was-sent-again', history)).toBe(true)
  })

  it('ends it if the client does not resend', async () => {
    const { how } = await orphaned(working(write, { autoResendUnfulfilledCommands: false }), faults, { redis })
    expect(how).toEqual([])
  })
})
