/**
 * The result of a replay on real servers. The servers are fakes that do what the simulator did, or
 * something else.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from 'virtual-node/runtime'
import { beforeAll, describe, expect, it } from 'vitest'
import type { LiveHost } from '../../../src/campaign/live/live-host.ts'
import type { LoadedPair } from '../../../src/campaign/play/load-pair.ts'
import { type LiveReplayContext, replayOnServers } from '../../../src/campaign/replay-live/replay-live.ts'
import { type ScheduledRun, scheduleOfRun } from '../../../src/campaign/replay-live/run-schedule.ts'
import type { RecordedRun } from '../../../src/campaign/token/token.ts'
import type { CampaignDeps, WorldRequest } from '../../../src/campaign/types.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import type { Plan, RedisPlan } from '../../../src/contract/api/plan.ts'
import type { LiveOrder, LiveOutcome } from '../../../src/contract/results/live-run.ts'
import type { Followed } from '../../../src/contract/results/schedule.ts'
import { type Otherwise, type Step, stepText } from '../../../src/contract/results/step.ts'
import { stepOf } from '../../run/step-of.ts'
import { planned, recordedRun, scenarioOf, twice } from './recorded.ts'

const folder = fileURLToPath(new URL('../../../implementations/articles/', import.meta.url))
const deps = createDeps(() => false)

async function scheduled(layer: string, plan: Partial<Plan>) {
  install()
  const implementation = await deps.loadImplementation(path.join(folder, `${layer}.ts`))
  const pair: LoadedPair = { scenario: scenarioOf('single'), implementation }
  const recorded = recordedRun(layer, plan)
  return { pair, recorded, run: await scheduleOfRun(pair, recorded, deps) }
}

const encode = (reply: unknown): string => (reply === null ? '$-1\r\n' : '+OK\r\n')

/** The outcome on real servers that do the same as the simulator. */
function asSimulated({ result, until }: ScheduledRun, more: Partial<Followed> = {}): LiveOutcome {
  const executed = result.executed.map(({ reply, ...one }) => ({
    ...one,
    lateMs: { left: 0, answered: 0 },
    reply: encode(reply),
  }))
  return {
    history: result.history,
    notMade: [],
    notSeen: [],
    worstLateMs: 0,
    unfit: null,
    readyMs: 1,
    tookMs: 2,
    cells: [],
    cellsSeen: [],
    clocks: null,
    followed: { taken: until, of: until, left: null, lateMs: 0, executed, cutShort: [], ...more },
  }
}

/** The run leaves its path at step 9. */
const leftAt = (expected: string, seen: string | Otherwise | null) => ({
  taken: 8,
  left: { step: 9, expected: stepOf(expected), seen: typeof seen === 'string' ? stepOf(seen) : seen },
})

const host = { about: 'made up', notMade: () => [], holdsSeveral: false } as unknown as LiveHost

const watched: RedisPlan = {
  replicas: 1,
  sentinels: 3,
  downAfterMs: 1000,
  failoverTimeoutMs: 3000,
  keeps: 'nothing',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 0,
}

const labelOf = (step: Step): string | null => (step.kind === 'pass' ? step.label : null)

function confirmed(
  { pair, recorded, run }: { pair: LoadedPair; recorded: RecordedRun; run: ScheduledRun },
  make: (order: LiveOrder) => LiveOutcome,
  more: Partial<LiveReplayContext> = {},
) {
  return replayOnServers(pair, recorded, run, {
    deps,
    host,
    make: async (order) => make(order),
    atMostMs: 60_000,
    ...more,
  })
}

describe('a run on real servers', () => {
  let broken: Awaited<ReturnType<typeof scheduled>>
  beforeAll(async () => {
    broken = await scheduled('001-get-set', twice)
  })

  it('is replayed by a schedule that names each step up to the violation', () => {
    const { schedule, until, broke, decidedBy } = broken.run
    const names = schedule.steps.map(({ step }) => stepText(step))
    expect(names[0]).toBe('begin')
    expect(names).toContain('consumer-1 command-executed GET idempotency:order-1')
    const arrivals = ['order-1', 'order-1 (request 2)'].map((what) => `consumer-1 effect-arrived ${what}`)
    expect(names.filter((name) => name.includes(' effect-arrived ')).sort()).toEqual(arrivals)
    expect(until).toBeLessThan(names.length)
    expect(broke).toMatchObject({ invariant: 'at-most-once', violation: { kind: 'duplicate' } })
    expect(decidedBy).toBe('GET: nothing')
    expect(schedule.draws.some(({ stream, what }) => stream === 'broker' && what === 'consumer')).toBe(true)
  })

  it.each([
    ['001-get-set', [], ['SET']],
    ['001-lua-server-time', ['EVALSHA'], ['EVALSHA', 'SET']],
  ])('has a schedule that marks commands that read the time or changed data: %s', async (layer, asks, changes) => {
    const { steps } = (await scheduled(layer, {})).run.schedule
    const commandsOf = (some: typeof steps) => [...new Set(some.map(({ step }) => labelOf(step)?.split(' ', 1)[0]))]
    expect(commandsOf(steps.filter(({ clocked }) => clocked))).toEqual(asks)
    expect(commandsOf(steps.filter(({ wrote }) => wrote))).toEqual(changes)
    const others = steps.filter(({ step }) => !stepText(step).includes(' command-unexecuted '))
    expect(others.filter(({ clocked, wrote }) => clocked || wrote)).toEqual([])
  })

  it.each([
    ['before any reply', 1, ['consumer-1 handshake-answered 1']],
    ['later', 50, ['consumer-1 handshake-answered 1', 'consumer-1 handshake-answered 2']],
  ])('counts connections that received a reply: one is reset %s', async (_, ms, names) => {
    const faults = [planned('connection-reset', { at: 'time', ms }, { consumer: 0 })]
    const messages = [{ key: 'order-1', payload: 1, publishAtMs: 500 }]
    const { schedule, result } = (await scheduled('001-get-set', { faults, messages })).run
    expect(result.strikes).toHaveLength(1)
    const heard = schedule.steps
      .map(({ step }) => stepText(step))
      .filter((text) => text.includes(' handshake-answered '))
    expect([...new Set(heard)]).toEqual(names)
  })

  it('has a schedule in which a published message does not count as a reply', async () => {
    const plan = { ...twice, consumers: 2, effectMs: 50 }
    const { steps } = (await scheduled('../third-party/simple-redis-mutex', plan)).run.schedule
    const countOf = (part: string) => steps.filter(({ step }) => stepText(step).includes(part)).length
    expect(countOf(' command-executed ')).toBe(countOf(' reply-received '))
    expect(steps.flatMap(({ step }) => (step.kind === 'heard' && step.what === 'told' ? [step.process] : []))).toEqual(
      expect.arrayContaining(['consumer-1', 'consumer-2']),
    )
  })

  it('gets the same schedule every time, and the digest of an unscheduled run', async () => {
    const again = await scheduled('001-get-set', twice)
    expect(again.run.schedule).toEqual(broken.run.schedule)
    const { pair, recorded } = broken
    const { sink, plan, choiceSeed } = recorded
    const plain = await deps.runWorld({ ...pair, sink, plan, choices: { seed: choiceSeed }, record: true })
    expect(plain.digest).toBe(broken.run.result.digest)
    expect(plain.schedule).toBeNull()
  })

  it('is scheduled without source lines and lists of choices, which only stories and replays read', async () => {
    const { pair, recorded } = broken
    const asked: WorldRequest[] = []
    const runWorld: CampaignDeps['runWorld'] = (request) => {
      asked.push(request)
      return deps.runWorld(request)
    }
    await scheduleOfRun(pair, recorded, { ...deps, runWorld })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ record: true, schedule: true })
    expect(asked[0]!.positions ?? false).toBe(false)
    expect(asked[0]!.listChoices ?? false).toBe(false)
  })

  it('is confirmed if it breaks in the same way by the same deciding reply', async () => {
    const made = await confirmed(broken, () => asSimulated(broken.run))
    expect(made).toMatchObject({ answer: 'confirmed', why: null, reason: null, on: 'made up' })
    expect(made.seen).toContainEqual(made.expected)
  })

  it('is not confirmed if it left the path, with the step at which it left', async () => {
    const left = { step: 9, expected: 'consumer-1 effect-sent order-1', seen: 'consumer-1 answered order-1 done' }
    const made = await confirmed(broken, () => asSimulated(broken.run, leftAt(left.expected, left.seen)))
    expect(made).toMatchObject({ answer: 'not confirmed', left })
    expect(made.why).toBe(
      `it diverged at step 9 of ${broken.run.until}: expected consumer-1 effect-sent order-1, seen consumer-1 answered order-1 done`,
    )
  })

  it.each([
    'redis-2 promoted',
    'redis-2 has write 1 of redis-1',
    'sentinel-1 announces redis-2',
    'consumer-1 hears sentinel-1 sentinels',
    'redis-2a knows ok redis-1a redis-2a',
    'consumer-1 asks redis-2a cluster-slots',
    'consumer-1 handshake-answered redis-2a 1',
  ])('is undecided if it left the path at a spontaneous step of servers: %s', async (expected) => {
    const made = await confirmed(broken, () => asSimulated(broken.run, leftAt(expected, null)))
    const left = { step: 9, expected, seen: null }
    expect(made).toMatchObject({ answer: 'cannot be said', reason: 'servers', left })
    expect(made.why).toMatch(/^real servers did not do .+; it diverged at step 9 /)
  })

  it('is not confirmed if a process left the path while a step of servers was next', async () => {
    const left = { step: 9, expected: 'redis-2 has write 3 of redis-1', seen: 'consumer-1 command-unsent SET order-1' }
    const made = await confirmed(broken, () => asSimulated(broken.run, leftAt(left.expected, left.seen)))
    expect(made).toMatchObject({ answer: 'not confirmed', reason: null, left })
  })

  it('is undecided if servers did something else, which is reported', async () => {
    const text = 'not within 15000 ms: redis-2 has write 3'
    const left = leftAt('redis-2 has write 3 of redis-1', { kind: 'otherwise', cause: 'other', text })
    const made = await confirmed(broken, () => asSimulated(broken.run, left))
    expect(made).toMatchObject({ answer: 'cannot be said', reason: 'servers', left: { seen: text } })
  })

  it.each(['it was interrupted', 'it did not finish its schedule within 60000 ms'])(
    'is not confirmed if its host cut it off, with the reason: %s',
    async (why) => {
      const outcome = asSimulated(broken.run, { taken: 8 })
      const events = outcome.history.events.map((event) =>
        event.type === 'ended' ? { ...event, complete: false, why } : event,
      )
      const made = await confirmed(broken, () => ({ ...outcome, history: { ...outcome.history, events } }))
      expect(made).toMatchObject({ answer: 'not confirmed', left: null, why })
    },
  )

  it('is not confirmed if it took every step and held', async () => {
    const outcome = asSimulated(broken.run)
    const second = outcome.history.events.findLast(({ type }) => type === 'effect-applied')
    const events = outcome.history.events.filter((event) => event !== second)
    const history = { ...outcome.history, events: events.map((event, seq) => ({ ...event, seq })) }
    const made = await confirmed(broken, () => ({ ...outcome, history }))
    const why = `it followed all ${broken.run.until} steps and held`
    expect(made).toMatchObject({ answer: 'not confirmed', left: null, seen: [], why })
  })

  it('is not confirmed if another reply decided, which is reported', async () => {
    const outcome = asSimulated(broken.run)
    const executed = outcome.followed!.executed.map((one) => ({ ...one, reply: '$1\r\n1\r\n' }))
    const made = await confirmed(broken, () => ({ ...outcome, followed: { ...outcome.followed!, executed } }))
    expect(made).toMatchObject({
      answer: 'not confirmed',
      why: 'it broke by another step: expected GET: nothing, seen GET: a value',
      otherReply: { command: 'GET', process: 'consumer-1', simulated: 'nothing', real: 'a value' },
    })
  })

  describe('on a Cluster', () => {
    const ofCluster = () => ({ ...broken, run: { ...broken.run, schedule: { ...broken.run.schedule, known: [] } } })
    const held = { host: { ...host, holdsSeveral: true } }

    it.each(['-MOVED 1 127.0.0.1:7001', '-CLUSTERDOWN The cluster is down'])(
      'is undecided if a node first answered with %s',
      async (reply) => {
        const outcome = asSimulated(broken.run)
        const executed = outcome.followed!.executed.map((one) => ({ ...one, reply: `${reply}\r\n` }))
        const made = await confirmed(
          ofCluster(),
          () => ({ ...outcome, followed: { ...outcome.followed!, executed } }),
          held,
        )
        expect(made).toMatchObject({ answer: 'cannot be said', reason: 'servers' })
      },
    )

    it('is undecided if a command reached another node', async () => {
      const seen = { kind: 'otherwise', cause: 'nodes', text: 'on redis-2a instead of redis-1a' } as const
      const left = leftAt('consumer-1 command-unexecuted GET order-1', seen)
      const made = await confirmed(ofCluster(), () => asSimulated(broken.run, left), held)
      expect(made).toMatchObject({ answer: 'cannot be said', reason: 'servers' })
    })

    it.each([
      [
        'cannot be said',
        'a fault had struck servers by then',
        'redis-restart',
        0,
        'consumer-1 command-unsent GET order-1',
      ],
      ['cannot be said', 'a fault had struck servers, and nothing came', 'redis-restart', 0, null],
      [
        'not confirmed',
        'a fault struck servers later',
        'redis-restart',
        10_000,
        'consumer-1 command-unsent GET order-1',
      ],
      ['not confirmed', 'a fault struck only the broker', 'redelivery', 0, 'consumer-1 command-unsent GET order-1'],
      [
        'not confirmed',
        'the schedule does not have the step',
        'redis-restart',
        0,
        'consumer-1 command-unsent SET mark NX',
      ],
    ])('%s if a step came out of turn, and %s', async (answer, _, fault, seq, seen) => {
      const { run, ...same } = ofCluster()
      const { history } = run.result
      const struck = { type: 'fault-struck', fault, index: 0, sentence: '', atUs: 0, seq } as const
      const events = seq === 0 ? [struck, ...history.events] : [...history.events, struck]
      const steps = run.schedule.steps.map((step, at) =>
        at === 20 ? { ...step, step: stepOf('consumer-1 command-unsent GET order-1') } : step,
      )
      const result = { ...run.result, history: { ...history, events } }
      const left = leftAt('consumer-1 command-executed GET order-1', seen)
      const other = { ...same, run: { ...run, result, schedule: { ...run.schedule, steps } } as ScheduledRun }
      const made = await confirmed(other, () => asSimulated(broken.run, left), held)
      expect(made).toMatchObject({ answer })
    })

    it('is not confirmed if Redis answered differently on its own', async () => {
      const outcome = asSimulated(broken.run)
      const executed = outcome.followed!.executed.map((one) => ({ ...one, reply: '$1\r\n1\r\n' }))
      const made = await confirmed(
        ofCluster(),
        () => ({ ...outcome, followed: { ...outcome.followed!, executed } }),
        held,
      )
      expect(made).toMatchObject({ answer: 'not confirmed' })
    })
  })

  it('is not confirmed if a handshake differed with a single server', async () => {
    const made = await confirmed(broken, () => asSimulated(broken.run, leftAt('consumer-1 handshake-answered 1', null)))
    expect(made).toMatchObject({ answer: 'not confirmed', reason: null })
  })

  it('is not confirmed if another key breaks in the same way', async () => {
    const outcome = asSimulated(broken.run)
    const text = JSON.stringify(outcome.history).replaceAll('"order-1"', '"order-9"')
    const made = await confirmed(broken, () => ({ ...outcome, history: JSON.parse(text) }))
    expect(made).toMatchObject({ answer: 'not confirmed', why: 'it broke otherwise: at-most-once duplicate' })
  })

  describe('whose lease ended while a busy machine was late', () => {
    let leased: Awaited<ReturnType<typeof scheduled>>
    beforeAll(async () => {
      const faults = [planned('duplicate-delivery', { at: 'time', ms: 600 }, { message: 0 })]
      leased = await scheduled('003-set-nx-in-progress-lease', { effectMs: 900, effectTimeoutMs: 5_000, faults })
    })

    /** Redis grants the lock to the second delivery because of the delay. */
    const made = (lateMs: { readonly left: number; readonly answered: number }) =>
      confirmed(
        leased,
        () => {
          const outcome = asSimulated(leased.run)
          const at = leased.run.result.executed.findIndex(({ reply }) => reply === null)
          const executed = outcome.followed!.executed.map((one, nth) =>
            nth === at ? { ...one, lateMs, reply: '+OK\r\n' } : one,
          )
          const { left } = leftAt('consumer-1 command-unsent GET order-1', null)
          return { ...outcome, followed: { ...outcome.followed!, executed, left, lateMs: 699.5 } }
        },
        { holds: true },
      )

    it('is undecided if the simulator also differs with a Redis clock that far ahead', async () => {
      const otherReply = { command: 'SET', simulated: 'nothing', real: 'OK' }
      const late = await made({ left: 700, answered: 700 })
      expect(late).toMatchObject({ answer: 'cannot be said', reason: 'late', otherReply, lateMs: 700 })
      expect(late.why).toMatch(/^the run was late by 700 ms; it diverged at step 9/)
    })

    it('is undecided if the machine was late between the command and its reply', async () => {
      expect(await made({ left: 0, answered: 700 })).toMatchObject({ answer: 'cannot be said', reason: 'late' })
    })

    it('is undecided for each of two parallel runs', async () => {
      const both = await Promise.all([0, 1].map(() => made({ left: 700, answered: 700 })))
      expect(both.map(({ reason }) => reason)).toEqual(['late', 'late'])
    })

    it('is not excused if the lease had not ended by then', async () => {
      expect(await made({ left: 100, answered: 100 })).toMatchObject({ answer: 'not confirmed', reason: null })
    })
  })

  const never = () => {
    throw new Error('a run that cannot be made is not made')
  }

  it('cannot be replayed with several servers if they do not follow a schedule', async () => {
    const made = await confirmed(await scheduled('001-get-set', { ...twice, redis: watched }), never)
    expect(made).toMatchObject({ answer: 'cannot be made', reason: 'several', on: null })
  })

  it('is replayed with several servers if they follow a schedule', async () => {
    const several = await scheduled('001-get-set', { ...twice, redis: watched })
    const orders: LiveOrder[] = []
    const made = await confirmed(
      several,
      (order) => {
        orders.push(order)
        return asSimulated(several.run)
      },
      { host: { ...host, holdsSeveral: true } },
    )
    expect(made).toMatchObject({ answer: 'confirmed' })
    expect(orders).toMatchObject([{ shape: 'sentinel', plan: { redis: watched } }])
  })

  it('cannot be replayed with a fault that its host does not support', async () => {
    const without = { ...host, notMade: () => [{ fault: 'error-reply', why: 'no RESP' }] } as unknown as LiveHost
    const made = await confirmed(broken, never, { host: without })
    expect(made).toMatchObject({
      reason: 'fault',
      why: 'one of its faults is not supported live: error-reply (no RESP)',
    })
  })

  it('must show the requested violation', async () => {
    const { pair, recorded } = broken
    const asked = { invariant: 'at-most-once', kind: 'duplicate', key: 'order-1', decidedBy: null } as const
    const brokeBy = async (more: object) => {
      const { broke } = await scheduleOfRun(pair, recorded, deps, { breaks: { ...asked, ...more } })
      return broke?.violation.kind ?? null
    }
    expect(await brokeBy({})).toBe('duplicate')
    expect(await brokeBy({ key: 'order-2' })).toBeNull()
    expect(await brokeBy({ kind: 'zombie' })).toBeNull()
  })

  it('cannot be replayed if it does not break in the simulator', async () => {
    const made = await confirmed(await scheduled('001-get-set', {}), never)
    expect(made).toMatchObject({ answer: 'cannot be made', reason: 'nothing-broken', expected: null })
  })

  it('cannot be replayed if the way to a step that reads the clock of Redis takes too long', async () => {
    const { schedule, until } = broken.run
    const steps = schedule.steps.map((step, at) => ({ ...step, clocked: at === until - 1 }))
    const run = { ...broken.run, schedule: { ...schedule, steps } }
    const made = await confirmed({ ...broken, run }, never, { atMostMs: 1 })
    expect(made).toMatchObject({ answer: 'cannot be made', reason: 'too-long' })
  })

  it.each([
    ['cannot be said', 'too-long', 'could not be shortened', 1],
    ['not confirmed', null, 'would have been short enough', 50_000],
  ])('is %s (%s) if it was cut off in a schedule whose time %s', async (answer, reason, _, atMostMs) => {
    const { history, ...outcome } = asSimulated(broken.run, { taken: 8 })
    const why = `it did not finish its schedule within ${atMostMs} ms`
    const ended = { ...history.events.at(-1)!, type: 'ended', complete: false, why } as const
    const cutOff = { ...outcome, history: { ...history, events: [...history.events.slice(0, -1), ended] } }
    const made = await confirmed(broken, () => ({ ...cutOff, tookMs: atMostMs + 1 }), { atMostMs })
    expect(made).toMatchObject({ answer, reason })
  })

  it('is replayed at any length if no step reads the clock of Redis', async () => {
    const made = await confirmed(broken, () => asSimulated(broken.run), { atMostMs: 1 })
    expect(made.answer).toBe('confirmed')
  })

  it('cannot be replayed if a command reaches Redis after its process has ended', async () => {
    const [ended, ...rest] = [...broken.run.result.history.events]
    const history = {
      ...broken.run.result.history,
      events: [{ ...ended!, type: 'process-ended', process: 'consumer-1', how: 'crashed' } as never, ...rest],
    }
    const run = { ...broken.run, result: { ...broken.run.result, history } }
    const made = await confirmed({ ...broken, run }, never)
    expect(made).toMatchObject({ reason: 'outlives' })
    expect(made.why).toMatch(/: consumer-1 command-unexecuted GET idempotency:order-1$/)
  })
})
