/** Replays simulated runs on a Redis Cluster on real nodes, step by step. */
import { expect, it } from 'vitest'
import type { Plan } from '../../../src/contract/api/plan.ts'
import type { Schedule } from '../../../src/contract/results/schedule.ts'
import { stepText } from '../../../src/contract/results/step.ts'
import { planned, clustered as redis } from '../../campaign/replay-live/recorded.ts'
import { stepOf } from '../../run/step-of.ts'
import { describeLive } from '../lab.ts'
import { edited, makingOn } from './make-on-servers.ts'

const confirmed = makingOn('cluster')

const atMs = (ms: number) => ({ at: 'time', ms })

const primary = { who: 'primary', which: 0, withReplica: false, healAfterMs: 8000 }
/** All keys are on one shard, which is in use from the first message on. */
const messages = (ms: number) => [
  { key: 'order-1', payload: { order: 1 }, publishAtMs: 0 },
  { key: 'order-5', payload: { order: 5 }, publishAtMs: ms },
]
const copyAt = (ms: number) => planned('duplicate-delivery', atMs(ms), { message: 1 })

/** No fault strikes the nodes. */
const calm: Partial<Plan> = { redis, faults: [planned('duplicate-delivery', atMs(0), { message: 0 })] }

/** A primary dies with a mark that its replica lacks. */
const lost: Partial<Plan> = {
  redis: { ...redis, keeps: 'aof-everysec' },
  messages: messages(150),
  faults: [
    planned('machine-cut-off', atMs(100), { ...primary, from: 'servers' }),
    planned('redis-restart', atMs(300), { healAfterMs: 8000 }),
    copyAt(5000),
  ],
}

/** The same without the cut: the replica has the mark. */
const kept: Partial<Plan> = { ...lost, redis, faults: lost.faults!.slice(1) }

/**
 * A primary is cut off from the others and continues until it notices. Then its replica replaces
 * it.
 */
const apart: Partial<Plan> = {
  redis,
  messages: messages(500),
  faults: [planned('machine-cut-off', atMs(100), { ...primary, from: 'machines', healAfterMs: 12_000 }), copyAt(6500)],
}

/** The same, but the primary returns in time to redirect its clients. */
const back: Partial<Plan> = {
  ...apart,
  faults: [planned('machine-cut-off', atMs(100), { ...primary, from: 'machines', healAfterMs: 4000 }), copyAt(6500)],
}

/** A primary dies during work, and the clients of three consumers retry until it is replaced. */
const tried: Partial<Plan> = {
  redis,
  consumers: 3,
  effectMs: 128,
  effectTimeoutMs: 2600,
  leaseMs: 5000,
  redeliveryMs: 499,
  visibilityMs: 30_000,
  messages: [36, 125, 146, 199, 241].map((publishAtMs) => ({ key: 'order-1', payload: { order: 1 }, publishAtMs })),
  faults: [planned('redis-restart', atMs(169), { healAfterMs: 8000 })],
}

const layer = '002-check-and-set'

/** Changes the next step of the schedule with this prefix. */
const withOther = (begin: string, other: (name: string) => string) => (schedule: Schedule) => {
  const at = schedule.steps.findIndex(({ step }) => stepText(step).startsWith(begin))
  const steps = schedule.steps.map((one, n) => (n === at ? { ...one, step: stepOf(other(stepText(one.step))) } : one))
  return { ...schedule, steps }
}

/** Replaces the numbers that processes draw. */
const drawing = (schedule: Schedule, other: (drawn: number) => number): Schedule => ({
  ...schedule,
  chances: Object.fromEntries(Object.entries(schedule.chances!).map(([name, drawn]) => [name, drawn.map(other)])),
})

describeLive('a run of the simulator on a Redis Cluster, replayed on real nodes,', (lab) => {
  it('is confirmed to hold without faults of the nodes', async () => {
    const made = await confirmed(lab, layer, calm, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', expected: null, left: null })
  })

  it('is confirmed if a primary dies with a mark that its replica lacks', async () => {
    const made = await confirmed(lab, layer, lost)
    expect(made).toMatchObject({
      answer: 'confirmed',
      left: null,
      expected: { kind: 'repeat-after-loss:failover', decidedBy: 'EVALSHA check-and-set: nothing' },
    })
  })

  it('is confirmed to hold if the replica has the mark and the old primary returns', async () => {
    const made = await confirmed(lab, layer, kept, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', expected: null, left: null })
  })

  it('is confirmed if clients are refused by a dead primary and retry', async () => {
    const made = await confirmed(lab, '001-lua-server-time', tried, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it('is confirmed if a paused node does not answer new clients', async () => {
    const stands = planned('slow-redis', atMs(2), { healAfterMs: 3000 })
    const made = await confirmed(lab, '../reference/reference', { redis, faults: [stands] }, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it('is confirmed if a primary is cut off from the others until its replica has replaced it', async () => {
    const made = await confirmed(lab, layer, apart)
    expect(made).toMatchObject({ answer: 'confirmed', left: null, expected: { kind: 'repeat-after-loss:failover' } })
  })

  it('is confirmed if a replaced primary redirects its clients', async () => {
    const made = await confirmed(lab, layer, back)
    expect(made).toMatchObject({ answer: 'confirmed', left: null, expected: { kind: 'repeat-after-loss:failover' } })
  })

  it('is not confirmed with a layer that was changed to hold, and reports where it left the path', async () => {
    const made = await confirmed(lab, layer, lost, { live: edited('check-and-set-waits') })
    expect(made).toMatchObject({
      answer: 'not confirmed',
      seen: [],
      left: {
        expected: 'consumer-1 command-unsent EVALSHA check-and-set idempotency:v1:order-1',
        seen: 'consumer-1 command-unsent SET idempotency:v1:order-1',
      },
    })
  })

  it('is undecided if a node has a view that real ones cannot be brought to', async () => {
    const turned = (name: string) => name.replace('redis-3b failing redis-3a', 'redis-3a failing redis-3a')
    const made = await confirmed(lab, layer, lost, {
      schedule: withOther('redis-2a knows ok redis-1a redis-2a redis-3b', turned),
    })
    expect(made).toMatchObject({
      answer: 'cannot be said',
      left: {
        expected: 'redis-2a knows ok redis-1a redis-2a redis-3a failing redis-3a',
        seen: expect.stringContaining('redis-2a knows fail redis-1a redis-2a redis-3a'),
      },
    })
  })

  it('is undecided if a client chooses another node than in the schedule', async () => {
    const schedule = (own: Schedule) => drawing(own, (drawn) => 1 - drawn)
    const made = await confirmed(lab, layer, calm, { holds: true, schedule })
    expect(made).toMatchObject({ answer: 'cannot be said', reason: 'servers' })
  })
})
