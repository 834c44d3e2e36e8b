import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/contract/api/plan.ts'
import { fault, playTiny, type TinyRun } from './tiny-host.ts'

const reported = ({ facts }: TinyRun) =>
  facts.flatMap((fact) => ('sentence' in fact && fact.type !== 'topology' ? [[fact.atMs, fact.sentence]] : []))
const typesOf = ({ facts }: TinyRun) => facts.map(({ type }) => type)
const at = (ms: number) => ({ at: 'time', ms })
const boundary = (name: string, nth = 1) => ({ at: name, consumer: 0, nth })

describe('the story of a run', () => {
  it('has deployment, work under faults, healing, draining and rest', async () => {
    const messages = [0, 50].map((publishAtMs, n) => ({ key: `order-${n}`, payload: n, publishAtMs }))
    const faults = [
      fault('slow-redis', at(30), { healAfterMs: 100 }),
      fault('lost-acknowledgement', boundary('answered', 2)),
    ]
    const run = await playTiny({ messages, faults, visibilityMs: 300 })
    expect(run.phases).toEqual([
      ['deploy', 0],
      ['work', 0],
      // The last message is published, and the last timed fault has struck.
      ['heal', 50],
      ['drain', 130],
      // The message with the lost acknowledgement came again.
      ['rest', 362],
    ])
    expect(run.errors).toEqual([])
  })

  it('gives each message of a key one produced-at time, even if the clock of consumers differs from that of the run', async () => {
    const messages = [10, 50, 90].map((publishAtMs) => ({ key: 'order-1', payload: 1, publishAtMs }))
    const run = await playTiny({ messages }, { aheadBy: 3 })
    expect(run.producedAts).toEqual([40, 40, 40])
  })

  it('is the same with a clock that advances at each reading while nothing is handled', async () => {
    const { errors } = await playTiny({}, { relayMs: 50, eachLookUs: 1 })
    expect(errors).toEqual([])
  })

  it('is published, delivered, applied, answered and settled without faults', async () => {
    const run = await playTiny({})
    expect(typesOf(run)).toEqual([
      'process-started',
      'published',
      'delivered',
      'effect-sent',
      'effect-applied',
      'effect-answered',
      'answered',
      'settled',
    ])
    expect(run.phases.map(([phase]) => phase)).toEqual(['deploy', 'work', 'drain', 'rest'])
  })

  it('continues briefly after rest, and longer for a handler that has not answered', async () => {
    const overAt = async (plan: Partial<Plan>) => {
      const run = await playTiny(plan)
      const since = run.phases.at(-1)!
      return [since[0], Math.max(...run.facts.map(({ atMs }) => atMs)) - since[1]]
    }
    expect(await overAt({})).toEqual(['rest', 0])
    // The broker skips the offset of the message, so the broker is at rest, but the handler is not.
    const passed = {
      faults: [fault('commit-past', at(10)), fault('slow-effect', boundary('effect-unapplied'), { extraMs: 500 })],
    }
    expect(await overAt(passed)).toEqual(['rest', 501])
  })
})

describe('an accepted message', () => {
  it('is settled, and the run continues for the maximum time of its relay', async () => {
    const run = await playTiny({}, { relayMs: 2500 })
    expect(typesOf(run).slice(2)).toEqual([
      ...['delivered', 'answered', 'settled', 'effect-sent', 'effect-applied', 'effect-answered'],
    ])
    expect(run.facts.find(({ type }) => type === 'settled')).toMatchObject({ as: 'accepted' })
    expect(run.facts.at(-1)!.atMs - run.phases.at(-1)![1]).toBeGreaterThan(2400)
  })

  it('is not awaited beyond that', async () => {
    expect(typesOf(await playTiny({}, { relayMs: 3100 }))).not.toContain('effect-applied')
  })
})

describe('a fault of the plan', () => {
  it('strikes at its time, and heals after its duration', async () => {
    const run = await playTiny({ faults: [fault('redis-busy', at(40), { healAfterMs: 25 })] })
    expect(reported(run)).toEqual([
      [40, 'redis is busy with a script of another client'],
      [65, 'the script of another client is done'],
    ])
    expect(run.actions).toEqual([
      { do: 'degrade', machine: 'redis', what: 'busy', on: true },
      { do: 'degrade', machine: 'redis', what: 'busy', on: false },
    ])
  })

  it('strikes at its boundary, and decides the step', async () => {
    const messages = [0, 100].map((publishAtMs, n) => ({ key: `order-${n}`, payload: n, publishAtMs }))
    const run = await playTiny({
      messages,
      faults: [fault('effect-fails-before', boundary('effect-unapplied', 2), { how: 'refuse' })],
    })
    expect(reported(run)).toEqual([[101, expect.stringContaining('refuses the effect of consumer-1')]])
    expect(run.facts.filter(({ type }) => type === 'effect-applied')).toMatchObject([{ key: 'order-0' }])
    expect(run.facts.filter(({ type }) => type === 'effect-refused')).toMatchObject([{ key: 'order-1' }])
  })

  it('kills the process at its boundary, and a successor starts when it heals', async () => {
    const run = await playTiny({ faults: [fault('crash', boundary('effect-unsent'), { healAfterMs: 20 })] })
    expect(reported(run).map(([, sentence]) => sentence)).toEqual([
      expect.stringContaining('consumer-1 is killed'),
      'consumer-1.2 replaces consumer-1',
    ])
    expect(run.facts.filter(({ type }) => type === 'effect-applied')).toMatchObject([{ process: 'consumer-1.2' }])
    expect([...run.runner.crashPoints.struck]).toHaveLength(1)
  })

  it('leads to all-healed once the last one has healed', async () => {
    const faults = [fault('redis-busy', at(10), { healAfterMs: 50 }), fault('slow-redis', at(20), { healAfterMs: 10 })]
    const run = await playTiny({ faults })
    expect(run.facts.filter(({ type }) => type === 'all-healed').map(({ atMs }) => atMs)).toEqual([60])
  })
})

const plans: Record<string, Partial<Plan>> = {
  'no fault': {},
  'a fault at a time': { faults: [fault('redis-busy', at(5), { healAfterMs: 25 })] },
  'a fault of links at a boundary': {
    faults: [fault('partition', boundary('effect-unsent'), { node: 'sink', way: 'both', healAfterMs: 25 })],
  },
  'two faults at one boundary': {
    faults: [
      fault('redis-flushed', boundary('delivery-received')),
      fault('crash', boundary('delivery-received'), { healAfterMs: 25 }),
    ],
  },
  'a fault at each step': {
    faults: [
      'delivery-received',
      'effect-unsent',
      'effect-unapplied',
      'effect-applied',
      'answered',
      'acknowledged',
    ].map((name) => fault('redis-out-of-memory', boundary(name), { healAfterMs: 25 })),
  },
  'a crash while a fault is in force': {
    faults: [
      fault('slow-link', at(0), { consumer: 0, node: 'sink', extraMs: 5, healAfterMs: 30 }),
      fault('crash', at(5), { consumer: 0, healAfterMs: 9 }),
    ],
    consumers: 2,
    messages: [0, 1, 2, 3].map((n) => ({ key: `order-${n}`, payload: n, publishAtMs: 3 * n })),
  },
}

describe('a host with late answers', () => {
  it.each(Object.entries(plans))('gives the same facts as one with immediate answers: %s', async (_, plan) => {
    const prompt = await playTiny(plan)
    const late = await playTiny(plan, { late: true })
    expect(late.facts).toEqual(prompt.facts)
    expect(late.actions).toEqual(prompt.actions)
    expect(late.errors).toEqual([])
  })

  it('gives other facts if the plan differs', async () => {
    const late = await playTiny(plans['two faults at one boundary']!, { late: true })
    expect(late.facts).not.toEqual((await playTiny(plans['a fault at a time']!)).facts)
  })

  it.each([{}, { serial: true }] as const)('reports one error if it fails at an answer: %o', async (serial) => {
    const plan = { ...serial, faults: [fault('redis-busy', boundary('answered'), { healAfterMs: 25 })] }
    const answer = () => {
      throw new Error('Redis is gone')
    }
    expect((await playTiny(plan, { late: true, answer })).errors).toEqual([new Error('Redis is gone')])
  })
})

describe('a host that answers false', () => {
  const faults = [
    fault('redis-busy', at(5), { healAfterMs: 25 }),
    fault('partition', boundary('effect-unsent'), { node: 'sink', way: 'both', healAfterMs: 25 }),
  ]

  it.each([false, true])('lets nothing strike or heal: late %s', async (late) => {
    const run = await playTiny({ faults }, { late, answer: () => false })
    expect(run.actions).toHaveLength(2)
    expect(reported(run)).toEqual([])
    expect(run.runner.injection.unstruck).toEqual([
      { kind: 'redis-busy', cameUp: true },
      { kind: 'partition', cameUp: true },
    ])
    expect(run.runner.injection.anyInForce).toBe(false)
  })

  it('changes the sentence of a healing', async () => {
    const run = await playTiny({ faults: [faults[1]!] }, { answer: (action) => action.do !== 'unblock' })
    expect(reported(run)[1]![1]).toContain('no longer, except for another partition')
  })
})

describe('processes', () => {
  it('get their waiting messages in order once they are created', async () => {
    const messages = [0, 1, 2].map((n) => ({ key: `order-${n}`, payload: n, publishAtMs: n }))
    const run = await playTiny({ messages }, { createMs: 50 })
    expect(run.facts.flatMap((fact) => (fact.type === 'effect-sent' ? [[fact.atMs, fact.key]] : []))).toEqual([
      [50, 'order-0'],
      [50, 'order-1'],
      [50, 'order-2'],
    ])
  })

  it('have a successor that gets the message if they were killed before they were created', async () => {
    const run = await playTiny(
      { faults: [fault('crash', at(20), { consumer: 0, healAfterMs: 30 })], visibilityMs: 100 },
      { createMs: 50 },
    )
    expect(run.facts.filter(({ type }) => type === 'effect-applied')).toMatchObject([{ process: 'consumer-1.2' }])
  })

  it('are alone in their slot: another one is a broken assumption', async () => {
    const { runner } = await playTiny({})
    expect(() => runner.slots.start(0)).toThrow('broken assumption: a process starts in an empty slot only')
  })

  it('answer each delivery once: a second answer is a broken assumption', async () => {
    const { runner } = await playTiny({})
    const delivery = { id: 1, entry: runner.broker.entries[0]!, process: runner.slots.running(0)! }
    expect(() => runner.slots.answered(delivery.process, delivery, { error: 'again' })).toThrow(
      'broken assumption: a delivery is answered once, by the process that handles it',
    )
  })
})
