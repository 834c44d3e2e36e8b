import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import type { CreateContext, Implementation } from '../../../src/contract/api/implementation.ts'
import type { Message } from '../../../src/contract/api/message.ts'
import type { Receipt, Sink } from '../../../src/contract/api/sink.ts'
import { LoadError } from '../../../src/sim/adapters/load-implementation.ts'
import { done, errorOf, layer, type Play, type Played, play, sleep } from '../world-lab.ts'

/** Reads, performs, writes: a layer with commands, an effect and a timer. */
const ordinary = () =>
  layer(async ({ key, payload }, redis, { sink }) => {
    if ((await redis.get(key)) !== null) return done
    await sleep(Math.random() * 10)
    const receipt = await sink.perform({ key, payload })
    await redis.set(key, (receipt as Receipt).effectId)
    return { status: 'done', result: receipt }
  })

const busy: Play = {
  consumers: 3,
  messages: [1, 2, 1, 3].map((n, at) => ({ key: `order-${n}`, payload: { n }, publishAtMs: 20 * at })),
  faults: [
    { kind: 'crash', when: { at: 'effect-applied', consumer: 0, nth: 1 }, healAfterMs: 100 },
    { kind: 'partition', when: { at: 'time', ms: 30 }, consumer: 1, node: 'redis', way: 'both', healAfterMs: 500 },
  ],
}

describe('the same request', () => {
  it('gives the same run, hot or recorded, and another seed gives another one', async () => {
    const recorded = await play(ordinary(), busy)
    const again = await play(ordinary(), busy)
    const hot = await play(ordinary(), { ...busy, record: false })
    const other = await play(ordinary(), { ...busy, seed: 2 })
    const scrutinised = await play(ordinary(), { ...busy, scrutinise: true })
    expect(again.historyDigest).toBe(recorded.historyDigest)
    expect([again.digest, hot.digest, scrutinised.digest]).toEqual([1, 2, 3].map(() => recorded.digest))
    expect([hot.historyDigest, recorded.historyDigest]).toEqual([null, expect.stringMatching(/^[0-9a-f]+$/)])
    expect(hot.history.events.length).toBeLessThan(recorded.history.events.length)
    expect(again.scheduleHash).toBe(recorded.scheduleHash)
    expect(other.digest).not.toBe(recorded.digest)
    expect(other.historyDigest).not.toBe(recorded.historyDigest)
  })

  it('gives the same run for reordered members of the plan', async () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, turned(member)]),
      )
    }
    expect((await play(ordinary(), turned(busy) as Play)).digest).toBe((await play(ordinary(), busy)).digest)
  })
})

describe('a run that is cut at a moment', () => {
  const facts = ({ history }: Played) =>
    history.events.filter(({ type }) => type !== 'ended' && type !== 'keys-counted')

  it('is the same up to it, and incomplete', async () => {
    const whole = await play(ordinary(), busy)
    const cut = await play(ordinary(), { ...busy, untilUs: 60_000 })
    const before = facts(whole).filter(({ atUs }) => atUs <= 60_000)
    expect(facts(cut).slice(0, before.length)).toEqual(before)
    expect(facts(cut).length).toBeLessThan(facts(whole).length)
    expect(cut.of('ended')).toMatchObject([{ complete: false, why: 'the budget of virtual time ran out' }])
  })

  it('is whole and complete if it ends before', async () => {
    const whole = await play(ordinary(), busy)
    const cut = await play(ordinary(), { ...busy, untilUs: 3_600_000_000 })
    expect(cut.historyDigest).toBe(whole.historyDigest)
    expect(cut.of('ended')).toMatchObject([{ complete: true }])
  })
})

describe('uncontrolled chance', () => {
  it('changes the digest', async () => {
    let shared = 0
    const leaky = layer(async ({ key, payload }, _, { sink }) => {
      // Grows from run to run, like a module-level cache of a shared module.
      await sleep(10 * ++shared)
      return { status: 'done', result: await sink.perform({ key, payload }) }
    })
    const [one, two] = [await play(leaky), await play(leaky)]
    expect(two.digest).not.toBe(one.digest)
    expect(two.historyDigest).not.toBe(one.historyDigest)
  })

  it('is reported under scrutiny if two processes share it', async () => {
    let parked: (() => void)[] = []
    const entangled = layer(async () => {
      await new Promise<void>((resolve) => {
        parked.push(resolve)
        if (parked.length === 2) for (const resume of parked.splice(0)) resume()
      })
      return sleep(1).then(() => done)
    })
    const messages = [1, 2].map((n) => ({ key: `order-${n}`, payload: n, publishAtMs: 10 * n }))
    const unsupported = async (more: Play) => {
      parked = []
      return (await play(entangled, { consumers: 2, messages, ...more })).unsupported
    }
    const found: string[] = []
    for (let seed = 1; seed <= 4; seed++) found.push(...(await unsupported({ seed, scrutinise: true })))
    expect(found.join()).toMatch(/work that consumer-\d started continues in a turn of consumer-\d/)
    expect(await unsupported({})).toEqual([])
  })
})

describe('an unusable adapter', () => {
  const culprit = async (create: () => never, more: Play = {}) =>
    play({ create }, more).then(
      () => 'it runs',
      (error: unknown) => (error instanceof LoadError ? `${error.culprit}: ${error.remedy}` : String(error)),
    )

  it.each([
    ['never settles', () => new Promise(() => {}), '`create` never settles; it must resolve to { handle }'],
    [
      'always rejects',
      () => Promise.reject(new Error('no config')),
      '`create` fails (Error: no config); it must resolve to { handle }',
    ],
    [
      'returns no handler',
      () => ({ handel: 1 }),
      '`create` fails (Error: create of by-hand returned no object with a `handle` function); it must resolve to { handle }',
    ],
    [
      'throws',
      () => {
        throw new Error('no config')
      },
      '`create` fails (Error: no config); it must resolve to { handle }',
    ],
  ])('is reported if its create %s', async (_, create, remedy) => {
    expect(await culprit(create as never)).toBe(`by-hand.ts: ${remedy}`)
  })

  it('is reported after a few restarts, with increasing pauses', async () => {
    let tries = 0
    const dying = () => {
      tries++
      throw new Error('no config')
    }
    expect(await culprit(dying, { maxAttempts: 50 })).toContain('`create` fails (Error: no config)')
    expect(tries).toBeGreaterThan(3)
    expect(tries).toBeLessThan(100)
  })

  it('is not one that is unusable because of a crash or a permanent fault', async () => {
    const never = () => new Promise(() => {}) as never
    const crash = { kind: 'crash', when: { at: 'time', ms: 1 }, consumer: 0 } as const
    expect(await culprit(never, { faults: [crash] })).toBe('it runs')
    const connecting = async () => {
      const redis = new Redis({ host: 'redis', maxRetriesPerRequest: 0 })
      redis.on('error', () => {})
      await redis.ping()
      return { handle: async () => done }
    }
    const dead = { kind: 'redis-restart', when: { at: 'time', ms: 0 } } as const
    expect(await culprit(connecting as never, { faults: [dead] })).toBe('it runs')
    expect(await culprit(connecting as never, { faults: [{ ...dead, healAfterMs: 5000 }] })).toBe('it runs')
  })

  describe('that fails at every delivery without a fault', () => {
    const fails = (how: (message: Message, calls: number, sink: Sink) => unknown, more: Play = {}) => {
      let calls = 0
      const failing = layer(async (message, redis, { sink }) => {
        await redis.get(message.key)
        await how(message, ++calls, sink)
        return done
      })
      return culprit(failing.create as never, { mustWork: true, ...more })
    }
    const wrong = () => (undefined as never as { length: number }).length
    const perform = ({ key, payload }: Message, sink: Sink) => sink.perform({ key, payload })
    const mistake =
      "by-hand.ts: every delivery fails without a fault: TypeError: Cannot read properties of undefined (reading 'length')"
    const store = () => {
      throw new Error('NOSCRIPT')
    }

    const performThen = (then: () => unknown) => async (message: Message, _: number, sink: Sink) => {
      await perform(message, sink)
      return then()
    }

    it('is refused for a mistake in its code, before or after its effect', async () => {
      expect(await fails(wrong)).toBe(mistake)
      expect(await fails(performThen(wrong))).toBe(mistake)
      expect(await fails(() => new Promise(() => void setTimeout(wrong, 5)))).toBe(mistake)
    })

    it('is refused for an error of its store if it requested no effect, but not on a Cluster', async () => {
      expect(await fails(store)).toBe('by-hand.ts: every delivery fails without a fault: Error: NOSCRIPT')
      expect(await fails(performThen(store))).toBe('it runs')
      const times = { downAfterMs: 500, failoverTimeoutMs: 2000, fullSyncMs: 10, loadingMs: 10 }
      const redis = { shards: 3, replicas: 0, sentinels: 0, keeps: 'nothing', minReplicasToWrite: 0, ...times } as const
      const create = () => ({ handle: store }) as never
      expect(await culprit(create, { mustWork: true, redis })).toBe('it runs')
      expect(await culprit(create, { mustWork: true })).toContain('NOSCRIPT')
    })

    it('runs if one delivery is answered in any way, or if the sink is slower than its caller waits', async () => {
      expect(await fails((_, calls) => calls < 3 && wrong())).toBe('it runs')
      expect(await fails(({ key }) => key === 'order-1' && wrong(), { ...busy, faults: [] })).toBe('it runs')
      expect(await fails(wrong, { effectMs: 700 })).toBe('it runs')
      expect(await fails(wrong, { mustWork: false })).toBe('it runs')
      const answers = (handle: () => Promise<never>) => culprit(layer(handle).create as never, { mustWork: true })
      expect(await answers(async () => ({ status: 'retry' }) as never)).toBe('it runs')
      expect(await answers(() => new Promise(() => {}))).toBe('it runs')
    })
  })

  it('fails the run soon if its create never settles', async () => {
    let tries = 0
    const never = () => {
      tries++
      return new Promise(() => {}) as never
    }
    expect(await culprit(never, { maxAttempts: 50 })).toContain('`create` never settles')
    expect(tries).toBe(4)
  })

  it('is not blamed for an invalid plan', async () => {
    await expect(play(ordinary(), { messages: null as never })).rejects.toThrow(TypeError)
    expect((await play(ordinary())).of('ended')).toMatchObject([{ complete: true }])
  })
})

describe('a layer that waits for its connection in `create`', () => {
  const waiting = () => ({
    async create({ redis: { url }, sink }: CreateContext) {
      const redis = new Redis(url)
      redis.on('error', () => {})
      await redis.get('settings')
      return {
        async handle({ key, payload }: Message) {
          if ((await redis.get(key)) !== null) return done
          const receipt = await sink.perform({ key, payload })
          await redis.set(key, 'done')
          return { status: 'done', result: receipt } as const
        },
      }
    },
  })
  const forgotten = { kind: 'half-open', when: { at: 'command-executed', consumer: 0, nth: 1 } } as const
  const endings = ({ of }: Played) => of('process-ended').map(({ process, how, error }) => [process, how, error])

  it('is restarted by its supervisor if no reply comes, and the run continues', async () => {
    const played = await play(waiting(), { faults: [forgotten], startsWithinMs: 7000 })
    const error = 'its `create` had not settled after 7 s, and its supervisor ended it'
    expect(endings(played)).toEqual([['consumer-1', 'died', error]])
    expect(played.of('process-ended')[0]!.atUs).toBe(7_000_000)
    expect(played.of('process-started').map(({ process }) => process)).toEqual(['consumer-1', 'consumer-1.2'])
    expect(played.of('settled')).toMatchObject([{ as: 'done' }])
    expect(played.of('ended')).toMatchObject([{ complete: true }])
  })

  it('has 30 s to start by default, and is not restarted afterwards', async () => {
    const cut = { kind: 'partition', when: { at: 'time', ms: 0 }, consumer: 0, node: 'redis', way: 'both' } as const
    const late = await play(waiting(), { faults: [{ ...cut, healAfterMs: 60_000 }], maxAttempts: 50 })
    expect(late.of('process-ended').map(({ atUs }) => atUs)).toEqual([30_000_000])
    expect(late.of('settled')).toMatchObject([{ as: 'done' }])
    const inTime = await play(waiting(), { faults: [{ ...cut, healAfterMs: 3000 }], visibilityMs: 60_000 })
    expect(endings(inTime)).toEqual([])
    expect(inTime.of('settled')).toMatchObject([{ as: 'done' }])
  })

  it('may crash meanwhile, and is started once', async () => {
    const crash = { kind: 'crash', when: { at: 'time', ms: 2000 }, consumer: 0, healAfterMs: 40_000 } as const
    const played = await play(waiting(), { faults: [forgotten, crash] })
    expect(endings(played)).toEqual([['consumer-1', 'crashed', undefined]])
    expect(played.of('process-started').map(({ process }) => process)).toEqual(['consumer-1', 'consumer-1.2'])
    expect(played.of('settled')).toMatchObject([{ as: 'done' }])
  })

  it('has time to relay once it has started late', async () => {
    const relaying = (): Pick<Implementation, 'create'> => {
      const accepted: Message[] = []
      let starts = 0
      return {
        async create({ sink }) {
          const relay = () => accepted.splice(0).forEach((message) => void sink.perform(message))
          if (++starts > 1) await sleep(starts === 2 ? 20_000 : 0)
          relay()
          return {
            async handle(message) {
              accepted.push(message)
              if (starts > 1) relay()
              else setTimeout(() => process.exit(1), 5)
              return { status: 'accepted' }
            },
          }
        },
      }
    }
    const played = await play({ ...relaying(), recoveryBoundMs: 2000 })
    expect(played.of('effect-applied')).toHaveLength(1)
    expect(played.of('ended')[0]!.atUs).toBeGreaterThan(20_000_000)
  })

  it('has time to relay again if a fault strikes it at rest', async () => {
    const relaying = (): Pick<Implementation, 'create'> => ({
      create({ redis, sink }) {
        const client = new Redis(redis.options)
        client.on('error', () => {})
        return {
          async handle(message) {
            setInterval(() => void client.get('news').catch(() => {}), 1000)
            setTimeout(() => void sink.perform(message), 70_000)
            return { status: 'accepted' }
          },
        }
      },
    })
    const lost = { kind: 'lost-reply', when: { at: 'command-executed', consumer: 0, nth: 40 } } as const
    const effects = async (faults: NonNullable<Play['faults']>) =>
      (await play({ ...relaying(), recoveryBoundMs: 60_000 }, { faults })).of('effect-applied')
    expect(await effects([lost])).toHaveLength(1)
    expect(await effects([])).toHaveLength(0)
  })
})

describe('a handler', () => {
  const outcomeOf = (answer: unknown) =>
    play(
      layer(() => answer as never),
      { maxAttempts: 2 },
    )
  it.each([
    ['nothing', undefined, 'handle answered nothing instead of an outcome'],
    ['an unknown status', { status: 'ok' }, 'handle answered {"status":"ok"} instead of an outcome'],
    [
      'a result that is not JSON',
      { status: 'done', result: 1n },
      'handle answered something that is not JSON (TypeError: Do not know how to serialize a BigInt)',
    ],
  ])('breaks its contract without a verdict if it answers %s', async (_, answer, error) => {
    await expect(outcomeOf(answer)).rejects.toThrow(`the adapter violates its contract: ${error}`)
  })

  it('has its answer recorded as it goes over the network', async () => {
    const result = { at: new Date(0), nothing: undefined, list: [1] }
    const { of } = await outcomeOf({ status: 'done', result })
    result.list.push(2)
    expect(of('answered')[0]!.outcome).toEqual({
      status: 'done',
      result: { at: '1970-01-01T00:00:00.000Z', list: [1] },
    })
  })

  it('leaves the message to the broker if it never settles, and the run is complete', async () => {
    const { of } = await play(
      layer(() => new Promise(() => {})),
      { maxAttempts: 2 },
    )
    expect(of('settled')).toMatchObject([{ as: 'given-up' }])
    expect(of('ended')).toMatchObject([{ complete: true }])
  })

  it('kills its process by an uncaught error, and the process is restarted once', async () => {
    let calls = 0
    const exploding = layer(() => {
      if (calls++ > 0) return done
      setTimeout(() => {
        throw new Error('boom')
      }, 5)
      return new Promise(() => {})
    })
    const { of } = await play(exploding)
    expect(of('process-ended')).toMatchObject([{ process: 'consumer-1', how: 'died', error: 'Error: boom' }])
    expect(of('process-started').map(({ process }) => process)).toEqual(['consumer-1', 'consumer-1.2'])
    expect(of('settled')).toMatchObject([{ as: 'done' }])
  })

  it('may exit from its listener for uncaught errors, and the process is restarted once', async () => {
    let calls = 0
    const exiting = layer(() => {
      if (calls++ > 0) return done
      process.on('uncaughtException', () => process.exit(1))
      setTimeout(() => {
        throw new Error('boom')
      }, 5)
      return new Promise(() => {})
    })
    const { of } = await play(exiting)
    expect(of('process-ended')).toMatchObject([{ how: 'died', error: 'Ended: process.exit(1)' }])
    expect(of('process-started').map(({ process }) => process)).toEqual(['consumer-1', 'consumer-1.2'])
  })
})

describe('a run that does not come to rest', () => {
  it.each([
    ['setImmediate', (again: () => void) => setImmediate(again), /^the event budget ran out$/],
    [
      'setTimeout',
      (again: () => void) => setTimeout(again, 1000),
      /^the event budget ran out: timers of the layer's processes went off 599\d\d times in 599\d\d s; use longer periods in the adapter$/,
    ],
  ])('ends with its budget spent if the layer loops with %s', async (_, loop, why) => {
    const looping = layer(
      () =>
        new Promise(() =>
          loop(function again() {
            loop(again)
          }),
        ),
    )
    const { of } = await play(looping, { visibilityMs: 100_000_000, record: false })
    expect(of('ended')).toMatchObject([{ complete: false, why: expect.stringMatching(why) }])
  })

  it('reports that no consumer is left for its messages', async () => {
    const { of } = await play(ordinary(), { faults: [{ kind: 'crash', when: { at: 'time', ms: 0 }, consumer: 0 }] })
    expect(of('ended')).toMatchObject([{ why: 'no event is left, but messages are still open' }])
  })
})

describe('the end of a run', () => {
  it('waits for handlers whose delivery was settled without them', async () => {
    let calls = 0
    const zombie = layer(async ({ key, payload }, _, { sink }) => {
      if (calls++ > 0) return done
      await sleep(60_000)
      await sink.perform({ key, payload })
      return done
    })
    const { of } = await play(zombie, { visibilityMs: 1000 })
    expect(of('settled')[0]!.atUs).toBeLessThan(2_000_000)
    expect(of('effect-applied')).toHaveLength(1)
  })

  it('is the last fact: commands that the cleanup cuts are not lost', async () => {
    // A command is on its way to a server that no longer answers.
    const heartbeat = layer((_, redis) => {
      setInterval(() => void errorOf(redis.incr('n')), 1)
      return done
    })
    const { history, of } = await play(heartbeat)
    expect(history.events.at(-1)!.type).toBe('ended')
    expect([of('reply-lost'), of('request-lost')]).toEqual([[], []])
  })

  it('also ends paused processes', async () => {
    const pause = { kind: 'pause', when: { at: 'time', ms: 500 }, consumer: 0 } as const
    const { of } = await play(
      layer(() => done),
      { faults: [pause] },
    )
    expect(of('process-paused')).toHaveLength(1)
    expect(of('ended')).toMatchObject([{ complete: true }])
  })

  it('counts the keys without expiry', async () => {
    const keeping = layer(async (_, redis) => {
      await redis.set('for ever', 1)
      await redis.set('for a day', 1, 'EX', 86_400)
      return done
    })
    const { of } = await play(keeping)
    expect(of('keys-counted')).toMatchObject([{ keys: 2, withoutExpiry: 1, namesWithoutExpiry: ['for ever'] }])
  })

  it('comes after every fault that heals', async () => {
    const partition = {
      kind: 'partition',
      when: { at: 'time', ms: 500 },
      consumer: 0,
      node: 'sink',
      way: 'both',
    } as const
    const { of } = await play(
      layer(() => done),
      { faults: [{ ...partition, healAfterMs: 25_000 }] },
    )
    expect(of('fault-healed')).toMatchObject([{ atUs: 25_500_000 }])
    expect(of('all-healed')).toHaveLength(1)
    expect(of('ended')[0]!.atUs).toBeGreaterThanOrEqual(25_500_000)
  })
})

describe('the history', () => {
  it('has logs without folders of this machine', async () => {
    const talking = layer(() => {
      console.log('hello', '/home/somebody/project/layer.ts:3:4')
      console.error(new Error('where').stack)
      return done
    })
    const { of } = await play(talking)
    const [hello, stack] = of('log')
    expect(hello).toMatchObject({
      process: 'consumer-1',
      stream: 'stdout',
      text: expect.stringContaining('hello layer.ts:3:4'),
    })
    expect(stack!.text).toContain('world.test.ts')
    expect(stack!.text).not.toContain(import.meta.dirname)
  })

  it('has the plan in its header, and the bound of the layer or else of the scenario', async () => {
    const bound = async (recoveryBoundMs?: number) => {
      const { history } = await play({ ...ordinary(), ...(recoveryBoundMs === undefined ? {} : { recoveryBoundMs }) })
      return history.header
    }
    expect(await bound()).toMatchObject({ recoveryBoundMs: 60_000, recoveryBoundFrom: 'scenario' })
    expect(await bound(1000)).toMatchObject({ recoveryBoundMs: 1000, recoveryBoundFrom: 'layer' })
    expect(await bound(100_000)).toMatchObject({
      recoveryBoundMs: 100_000,
      recoveryCapMs: 60_000,
      scenario: 'by-hand',
      implementation: 'by-hand',
      sink: 'plain',
      faultFree: true,
      leaseMs: 1000,
      retentionMs: 86_400_000,
      visibilityMs: 5000,
      plan: { consumers: 1 },
    })
    expect((await play(ordinary(), busy)).history.header.faultFree).toBe(false)
  })

  it('has one entry for an unsupported command, which makes the run unsupported', async () => {
    const asking = layer(async (_, redis) => {
      await errorOf(redis.call('MEMORY', 'DOCTOR') as Promise<unknown>)
      await errorOf(redis.call('MEMORY', 'DOCTOR') as Promise<unknown>)
      return done
    })
    const { unsupported, of } = await play(asking)
    expect(unsupported).toEqual(['MEMORY DOCTOR'])
    expect(of('unsupported')).toHaveLength(1)
    expect((await play(ordinary())).unsupported).toEqual([])
  })
})

describe('a first deployment', () => {
  const deployed = async (deploy: (options: { host: string }) => unknown) => {
    const seen: unknown[] = []
    const played: Played = await play({
      ...layer(async (_, redis) => {
        seen.push(await redis.get('deployed'))
        return done
      }),
      deploy: ({ redis }) => deploy(redis.options as { host: string }) as Promise<void>,
    })
    return { seen, played }
  }

  it('is finished before all else, and is not in the history', async () => {
    const { seen, played } = await deployed(async (options) => {
      const redis = new Redis(options)
      await redis.set('deployed', 'yes')
      void redis.get('deployed').catch(() => {})
      redis.disconnect()
    })
    expect(seen).toEqual(['yes'])
    expect(played.history.events[0]).toMatchObject({ type: 'process-started', process: 'consumer-1', atUs: 0 })
    expect(played.of('reply-lost')).toEqual([])
    expect(played.of('command').map(({ process }) => process)).toEqual(['consumer-1'])
  })

  it.each([
    ['fails', () => Promise.reject(new Error('no')), 'its `deploy` fails (Error: no)'],
    ['never settles', () => new Promise(() => {}), 'its `deploy` never settles'],
  ])('is a usage error if it %s', async (_, deploy, remedy) => {
    await expect(deployed(deploy)).rejects.toThrow(`by-hand.ts: ${remedy}`)
  })
})
