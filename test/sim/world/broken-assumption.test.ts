/**
 * A broken assumption of the harness ends the campaign, so that it is not taken for a fault of the
 * layer.
 */
import { Database } from 'postgres-sim'
import { BrokenAssumption } from 'virtual-node/assert'
import { MachineClock } from 'virtual-node/kernel'
import { Network } from 'virtual-node/network'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runCampaign } from '../../../src/campaign/conduct/campaign.ts'
import type { Boundary } from '../../../src/contract/api/plan.ts'
import { ConsumerSlots } from '../../../src/run/consumer-slots.ts'
import { Effects } from '../../../src/run/effects.ts'
import { FaultInjection } from '../../../src/run/fault-injection.ts'
import { Runner } from '../../../src/run/runner.ts'
import { MemoryLedger } from '../../../src/run/sink/memory-ledger.ts'
import { DynamoDBNode } from '../../../src/sim/world/dynamodb/dynamodb-node.ts'
import { Recorder } from '../../../src/sim/world/recorder.ts'
import { RedisNode } from '../../../src/sim/world/redis-node.ts'
import { runWorld } from '../../../src/sim/world.ts'
import { fakeBench, fakeContext } from '../../campaign/fake-deps.ts'
import { nameOf, reserve, sdkLayer } from '../dynamodb-lab.ts'
import { pgLayer } from '../postgres-lab.ts'
import { done, layer, loaded, play } from '../world-lab.ts'

afterEach(() => vi.restoreAllMocks())

const working = () =>
  layer(async ({ key, payload }, redis, { sink }) => {
    await redis.set(key, 'seen')
    await sink.perform({ key, payload })
    return done
  })

const broken = () => {
  throw new BrokenAssumption('a test breaks it')
}

const crash = { kind: 'crash', when: { at: 'time', ms: 1 }, consumer: 0, healAfterMs: 100 } as const

describe('a broken assumption ends a simulated run', () => {
  it.each(['created', 'answered', 'connected', 'handlingSinceUs'] as const)('if %s finds it', async (name) => {
    await play(working())
    vi.spyOn(ConsumerSlots.prototype, name).mockImplementation(broken)
    await expect(play(working())).rejects.toThrow(BrokenAssumption)
  })

  it('if a process dies', async () => {
    const dying = layer(() => Promise.reject(setTimeout(() => Promise.reject(new Error('own')), 10)))
    await play(dying, { maxAttempts: 1 })
    vi.spyOn(ConsumerSlots.prototype, 'died').mockImplementation(broken)
    await expect(play(dying, { maxAttempts: 1 })).rejects.toThrow(BrokenAssumption)
  })

  it.each<Boundary>([
    'delivery-received',
    'command-unsent',
    'command-executed',
    'reply-received',
    'effect-unsent',
    'effect-answered',
    'answered',
  ])('at the boundary %s', async (boundary) => {
    const { arrive } = Runner.prototype
    vi.spyOn(Runner.prototype, 'arrive').mockImplementation(function (this: Runner<never>, process, at, ...more) {
      return at === boundary ? broken() : arrive.call(this, process, at, ...more)
    })
    await expect(play(working())).rejects.toThrow(BrokenAssumption)
  })

  it('if a fault strikes', async () => {
    vi.spyOn(FaultInjection.prototype, 'strike').mockImplementation(broken)
    await expect(play(working(), { faults: [crash] })).rejects.toThrow(BrokenAssumption)
  })
})

type Adapter = Parameters<typeof loaded>[0]

/** A campaign of five runs of that layer. `plant` is called before run 2. */
async function campaignOf(adapter: Adapter, plant: () => void) {
  let played = 0
  const deps = {
    ...fakeBench({}),
    runWorld: (request: Parameters<typeof runWorld>[0]) => {
      // One run without faults, then runs 0, 1 and 2.
      if (++played === 4) plant()
      return runWorld({ ...request, implementation: loaded(adapter) })
    },
  }
  const bound = { runs: 5 }
  const choice = {
    scenarioPath: 's',
    scenarioName: 'fake-crash',
    implementationPath: 'layer',
    implementationName: 'layer',
    sink: 'plain',
    corpus: [],
    runMs: 1,
  } as const
  const { exitCode, harnessFailure, pairs } = await runCampaign(
    {
      pairs: [{ choice, bound }],
      control: null,
      layers: 'must-hold',
      seed: 1,
      bail: false,
      cheaper: [],
      reports: 'reports',
      explain: { layer: 1, path: 1, checks: 1 },
    },
    fakeContext(deps),
  )
  return { exitCode, harnessFailure, verdict: pairs[0]!.verdict }
}

/** A place of assertions: a layer that reaches it, and how to break an assertion there. */
interface Place {
  readonly adapter: Adapter
  readonly plant: () => void
  readonly what: string
}

const halfMicroseconds = () => vi.spyOn(MachineClock.prototype, 'worldDelayUs').mockReturnValue(0.5)

const places: Record<string, Place> = {
  "the runner's reports": {
    adapter: working(),
    plant: () => vi.spyOn(ConsumerSlots.prototype, 'answered').mockImplementation(broken),
    what: 'a test breaks it',
  },
  'the kernel, called by a layer that catches everything': {
    adapter: layer(() => {
      try {
        setTimeout(() => {}, 5)
      } catch {}
      return done
    }),
    plant: halfMicroseconds,
    what: 'an event is scheduled at a whole microsecond',
  },
  'the network, when a layer writes': {
    adapter: working(),
    plant() {
      const { link } = Network.prototype
      vi.spyOn(Network.prototype, 'link').mockImplementation(function (this: Network, slot, node) {
        const found = link.call(this, slot, node)
        if (node === 'redis') found.toNode.extraUs = -1
        return found
      })
    },
    what: 'a link gets back no more time than was added',
  },
  'the recorder, called by a layer that catches everything': {
    adapter: layer((_message, _redis, { lock }) => {
      try {
        lock!.lost('order-1')
      } catch {}
      return done
    }),
    plant() {
      const { fact } = Recorder.prototype
      vi.spyOn(Recorder.prototype, 'fact').mockImplementation(function (this: Recorder, one) {
        fact.call(this, one)
        if (one.type === 'lock') fact.call(this, one)
      })
    },
    what: 'a fact is recorded once',
  },
  'the sink': {
    adapter: working(),
    plant() {
      const { perform } = MemoryLedger.prototype
      vi.spyOn(MemoryLedger.prototype, 'perform').mockImplementation(function (this: MemoryLedger, request, refuses) {
        return perform.call(this, { ...request, key: 'another' }, refuses)
      })
    },
    what: 'a receipt is of the key that was asked for',
  },
  'the audit of the history': {
    adapter: working(),
    plant() {
      const { answered } = Effects.prototype
      vi.spyOn(Effects.prototype, 'answered').mockImplementation(function (this: Effects<never>, ...answer) {
        answered.apply(this, answer)
        answered.apply(this, answer)
      })
    },
    what: 'a request is answered once',
  },
  Redis: {
    adapter: working(),
    plant: () => vi.spyOn(RedisNode.prototype, 'nowUs').mockReturnValue(0.5),
    what: 'the clock of a server shows whole microseconds',
  },
  'a script that catches everything': {
    adapter: layer(async (_message, redis) => {
      await redis.eval("redis.call('SET', 'a', '1') pcall(redis.call, 'GET', 'a')", 0).catch(() => {})
      return done
    }),
    plant: () =>
      vi.spyOn(RedisNode.prototype, 'ran').mockImplementation(function (this: RedisNode) {
        this.server.tracking.inScript = false
      }),
    what: 'only a script that runs calls commands',
  },
  PostgreSQL: {
    adapter: pgLayer(async (_message, client) => {
      await client.query('SELECT 1').catch(() => {})
      return done
    }),
    plant() {
      const { connect } = Database.prototype
      vi.spyOn(Database.prototype, 'connect').mockImplementation(function (this: Database, startup) {
        const session = connect.call(this, startup)
        vi.spyOn(session, 'execute').mockImplementation((_statement, _parameters, done) => {
          for (let time = 0; time < 2; time++) done({ ok: true, tag: 'SELECT 0', fields: null, rows: [] })
        })
        return session
      })
    },
    what: 'a statement has one outcome',
  },
  DynamoDB: {
    adapter: sdkLayer(async (client, table) => void (await nameOf(client.send(reserve(table))))),
    plant: () => vi.spyOn(DynamoDBNode.prototype, 'nowMs').mockReturnValue(0.5),
    what: 'the clock of the service shows whole milliseconds',
  },
}

describe('a broken assumption in one run of a campaign ends it with exit code 3 and the name of the run', () => {
  it.each(Object.keys(places))('in %s', async (name) => {
    const { adapter, plant, what } = places[name]!
    const { exitCode, harnessFailure, verdict } = await campaignOf(adapter, plant)
    expect([exitCode, verdict]).toEqual([3, 'error'])
    expect(harnessFailure).toContain('run 2')
    expect(harnessFailure).toContain(what)
  })
})

it('a machine starts only when it is down', async () => {
  const { stop } = RedisNode.prototype
  vi.spyOn(RedisNode.prototype, 'stop').mockImplementation(function (this: RedisNode, withDisk) {
    stop.call(this, withDisk)
    stop.call(this, withDisk)
  })
  const restart = { kind: 'redis-restart', when: { at: 'time', ms: 1 }, healAfterMs: 100 } as const
  await expect(play(working(), { faults: [restart] })).rejects.toThrow('only a machine that is up dies')
})
