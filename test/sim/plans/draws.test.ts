import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundsProblem } from '../../../src/campaign/token/plan-bounds.ts'
import { planProblem } from '../../../src/campaign/token/plan-problem.ts'
import { type Plan, resultStyles } from '../../../src/contract/api/plan.ts'
import { plansOf, type Workload } from '../../../src/sim/plans/workload.ts'

const drawn = (workload: Partial<Workload> = {}): readonly Plan[] =>
  fc.sample(plansOf({ faults: ['crash', 'lost-reply', 'clock-step'], maxFaults: 6, ...workload }), {
    numRuns: 1000,
    seed: 3,
  })
const plans = drawn()
const share = (such: (plan: Plan) => boolean, among = plans) => among.filter(such).length / among.length
const about = (part: number) => expect.toSatisfy((found: number) => Math.abs(found - part) < 0.05)
const keysOf = ({ messages }: Plan) => [...new Set(messages.map(({ key }) => key))]

describe('drawn plans', () => {
  it('are valid plans within bounds, and survive JSON', () => {
    expect(plans.flatMap((plan) => planProblem(plan) ?? boundsProblem(plan) ?? [])).toEqual([])
    expect(JSON.parse(JSON.stringify(plans))).toEqual(plans)
  })

  it('have one to four consumers, mostly three, and one quarter is serial', () => {
    const counts = [1, 2, 3, 4].map((consumers) => share((plan) => plan.consumers === consumers))
    expect(counts).toEqual([about(0.1), about(0.2), about(0.6), about(0.1)])
    expect(share(({ serial }) => serial === true)).toEqual(about(0.25))
  })

  it('aim faults at existing consumers', () => {
    const aims = plans.flatMap(({ consumers, faults }) =>
      faults.map(({ when, consumer = 0, machine = 0 }) =>
        Math.max(when.at === 'time' ? 0 : when.consumer, Number(consumer), Number(machine)) < consumers ? 'in' : 'out',
      ),
    )
    expect(new Set(aims)).toEqual(new Set(['in']))
  })

  it('have work around the effect in one of five, shorter and longer than the lease', () => {
    const works = plans.filter(({ work }) => work !== undefined)
    expect(share(({ work }) => work !== undefined)).toEqual(about(0.19))
    for (const part of ['beforeMs', 'afterMs'] as const) {
      expect(share(({ work, leaseMs }) => work![part] > leaseMs, works)).toEqual(about(0.42))
      expect(share(({ work, leaseMs }) => work![part] > 0 && work![part] < leaseMs, works)).toBeGreaterThan(0.3)
    }
  })

  it('have a sink slower than half the lease in one of eight, with callers that wait for it', () => {
    const slow = ({ effectMs, leaseMs }: Plan) => effectMs > 200 || effectMs > leaseMs / 2
    expect(share(slow)).toEqual(about(0.125))
    expect(plans.filter(slow).every(({ effectMs, effectTimeoutMs }) => effectTimeoutMs >= effectMs + 300)).toBe(true)
    expect(share(({ effectMs, leaseMs }) => effectMs > leaseMs)).toBeGreaterThan(0.05)
  })

  it('keep the effect times that a scenario sets', () => {
    const effects = drawn({ effectMs: fc.constant(7), effectTimeoutMs: fc.constant(9) })
    expect(new Set(effects.map(({ effectMs, effectTimeoutMs }) => `${effectMs} ${effectTimeoutMs}`))).toEqual(
      new Set(['7 9']),
    )
  })

  it('have keyed sinks that remember as long as layers may assume', () => {
    expect(share(({ sinkRemembersMs, retentionMs }) => sinkRemembersMs === retentionMs + 2000)).toBe(1)
    const forgetful = drawn({ sinkRemembersMs: fc.constant(5) })
    expect(share(({ sinkRemembersMs }) => sinkRemembersMs === 5, forgetful)).toBe(1)
  })

  it('return something other than a receipt in one of four, in every style', () => {
    expect(share(({ results }) => results !== undefined)).toEqual(about(0.25))
    expect(new Set(plans.flatMap(({ results }) => results ?? []))).toEqual(new Set(resultStyles))
  })

  it('have other keys than order-N in nearly half of all, which are equal when cut, folded, normalized or in latin1', () => {
    expect(share((plan) => !/^order-\d$/.test(keysOf(plan)[0]!))).toEqual(about(0.47))
    const alikeBy = (same: (key: string) => string) =>
      share((plan) => new Set(keysOf(plan).map(same)).size < keysOf(plan).length)
    expect(alikeBy((key) => key.slice(0, 16))).toBeGreaterThan(0.03)
    expect(alikeBy((key) => key.toLowerCase())).toBeGreaterThan(0.03)
    expect(alikeBy((key) => key.normalize())).toBeGreaterThan(0.02)
    expect(alikeBy((key) => Buffer.from(key, 'latin1').toString('latin1'))).toBeGreaterThan(0.02)
    expect(alikeBy((key) => key.replace(/[^a-z\d]/gi, '-'))).toBeGreaterThan(0.05)
    expect(alikeBy((key) => key.slice(0, 1))).toBeGreaterThan(0.03)
    expect(share((plan) => keysOf(plan).some((key) => /[{}:*]/.test(key)))).toBeGreaterThan(0.03)
    expect(plans.flatMap(keysOf).every((key) => !/\p{Surrogate}/u.test(key) && key.length < 110)).toBe(true)
  })

  it('have other payloads in one of three: falsy, empty, nested, large', () => {
    const payloads = plans.map(({ messages }) => JSON.stringify(messages[0]!.payload))
    expect(payloads.filter((text) => !/^\{"order":\d,"amountCents":\d+\}$/.test(text)).length / 1000).toEqual(
      about(1 / 3),
    )
    for (const one of ['0', '""', '{}', '{"order":1}']) expect(payloads).toContain(one)
    expect(payloads.filter((text) => text.includes('"place":[')).length).toBeGreaterThan(30)
    expect(payloads.filter((text) => text.length > 10_000).length).toBeGreaterThan(30)
  })

  it('with reused keys have payloads that only a careful comparison distinguishes, and produced-at times', () => {
    const reused = drawn({ reusesKeys: true, keys: 1 })
    const pairs = reused.map(({ messages }) =>
      [...new Set(messages.map(({ payload }) => JSON.stringify(payload)))].sort(),
    )
    for (const pair of [
      ['0', 'false'],
      ['[]', '{}'],
    ])
      expect(pairs).toContainEqual(pair)
    expect(pairs).toContainEqual(['{"order":1,"discount":0}', '{"order":1}'])
    const producedAts = ({ messages }: Plan) => new Set(messages.map(({ stampOffMs = 0 }) => stampOffMs)).size
    expect(share((plan) => producedAts(plan) > 1, reused)).toBeGreaterThan(0.1)
    expect(share((plan) => producedAts(plan) > 1)).toBe(0)
  })

  it('aim one of three faults at a command by its label', () => {
    const atCommands = plans.flatMap(({ faults }) =>
      faults.flatMap(({ kind, when }) => (kind === 'lost-reply' && when.at !== 'time' ? [when] : [])),
    )
    expect(atCommands.filter(({ of }) => of !== undefined).length / atCommands.length).toEqual(about(1 / 3))
  })

  it('have wrong produced-at times only if the scenario sets them, equal for all messages of a key', () => {
    expect(share(({ messages }) => messages.some(({ stampOffMs }) => stampOffMs !== undefined))).toBe(0)
    const off = drawn({ producedAtOffMs: fc.constantFrom(-5, 7), keys: 2 })
    const offs = off.map(({ messages }) => new Set(messages.map(({ key, stampOffMs }) => `${key} ${stampOffMs}`)).size)
    expect(offs).toEqual(off.map((plan) => keysOf(plan).length))
  })
})
