/** Aimed draws without a measurable goal: each of their plans must have the situation. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import crashMidLogic from '../../scenarios/crash-mid-logic.ts'
import dataLoss from '../../scenarios/data-loss.ts'
import forgottenReplica from '../../scenarios/forgotten-replica.ts'
import onlyLostReplies from '../../scenarios/only-lost-replies.ts'
import redisFailover from '../../scenarios/redis-failover.ts'
import slowSettlement from '../../scenarios/slow-settlement.ts'
import splitBrain from '../../scenarios/split-brain.ts'
import staleMessage from '../../scenarios/stale-message.ts'
import uncountedReplica from '../../scenarios/uncounted-replica.ts'
import { aimOf } from '../../src/campaign/play/draw-run.ts'
import type { Plan, PlannedFault } from '../../src/contract/api/plan.ts'
import { minimumRunsOf, type Scenario } from '../../src/contract/api/scenario.ts'

const drawn = (scenario: Scenario, draw: number): readonly Plan[] =>
  fc.sample(scenario.aimed!.draws[draw]!.plans, { numRuns: 100, seed: 3 })
const msOf = ({ when }: PlannedFault): number => (when.at === 'time' ? when.ms : Number.NaN)
const ofKind = ({ faults }: Plan, kind: string) => faults.filter((fault) => fault.kind === kind)
/** Copies that come long after another server was promoted, when the old primary is its replica. */
const copiesAfterCut = (plan: Plan): number => {
  const [cut] = ofKind(plan, 'machine-cut-off')
  if (cut === undefined) return 0
  const demotedMs = msOf(cut) + cut.healAfterMs! + 12_000
  return ofKind(plan, 'duplicate-delivery').filter((copy) => msOf(copy) >= demotedMs).length
}

it('data-loss restarts a replica while the consumers start', () => {
  for (const plan of drawn(dataLoss, 0)) {
    const [restart] = ofKind(plan, 'machine-restart')
    expect(restart).toMatchObject({ who: 'replica', which: 0, when: { at: 'time' } })
    expect(msOf(restart!) + restart!.healAfterMs!).toBeLessThanOrEqual(1800)
  }
})

it('data-loss empties the primary when a message is done, and sends copies', () => {
  for (const plan of drawn(dataLoss, 2)) {
    expect(plan.redis!.keeps).toBe('nothing')
    expect(ofKind(plan, 'redis-restart')[0]!.when.at).toMatch(/^(answered|acknowledged)$/)
    expect(ofKind(plan, 'duplicate-delivery').filter((copy) => msOf(copy) >= 1000).length).toBeGreaterThanOrEqual(2)
  }
})

it('a copy of data that only the old primary knows comes when that server is a replica', () => {
  for (const draw of [0, 1, 2])
    for (const plan of drawn(splitBrain, draw)) expect(copiesAfterCut(plan)).toBeGreaterThanOrEqual(4)
  const taken = fc.sample(forgottenReplica.plans, { numRuns: 200, seed: 3 })
  const promoted = taken.filter((plan) => copiesAfterCut(plan) >= 4)
  expect(promoted.length / taken.length).toBeGreaterThan(0.4)
})

it('redis-failover restarts a replica that knows the data but not the attempt', () => {
  for (const plan of drawn(redisFailover, 3)) {
    const [, second] = plan.messages
    const [restart] = ofKind(plan, 'machine-restart')
    expect(plan.redis!.keeps).toBe('aof-everysec')
    expect(second!.publishAtMs).toBeGreaterThanOrEqual(2000)
    expect(msOf(restart!) - second!.publishAtMs).toBeLessThan(plan.effectMs)
  }
})

it('uncounted-replica adds the replica before any message, for many attempts', () => {
  for (const plan of drawn(uncountedReplica, 0)) {
    const [added] = ofKind(plan, 'machine-added')
    expect(msOf(added!)).toBeLessThanOrEqual(200)
    expect(added!.healAfterMs).toBeGreaterThanOrEqual(8000)
  }
})

it('only-lost-replies loses the reply to each of six commands of an attempt', () => {
  const nths = onlyLostReplies.aimed!.draws.map((_, draw) => drawn(onlyLostReplies, draw).map(({ faults }) => faults))
  nths.forEach((some, at) => {
    for (const faults of some)
      expect(faults).toEqual([
        { kind: 'lost-reply', when: { at: 'command-executed', consumer: 0, nth: 2 + at }, aim: 'one-attempt' },
      ])
  })
})

it('crash-mid-logic loses the answer of the only process', () => {
  for (const plan of drawn(crashMidLogic, 2)) {
    expect(plan).toMatchObject({ consumers: 1, messages: [{}] })
    expect(plan.faults.map(({ kind }) => kind)).toEqual(['crash', 'lost-acknowledgement'])
  }
})

it('stale-message restarts a consumer just after a keyed sink has forgotten the key', () => {
  for (const plan of drawn(staleMessage, 5)) {
    const [first, second] = plan.faults
    expect(first!.healAfterMs).toBeLessThan(plan.retentionMs)
    expect(first!.healAfterMs! + second!.healAfterMs!).toBeGreaterThan(plan.sinkRemembersMs!)
  }
})

it('slow-settlement pauses a process that knows about a doubt while others settle it', () => {
  for (const draw of [1, 3, 4])
    for (const plan of drawn(slowSettlement, draw)) {
      const [pause] = ofKind(plan, 'pause')
      expect(pause).toMatchObject({ when: { at: 'command-unsent' }, aim: 'new-crash-points' })
      expect(ofKind(plan, 'duplicate-delivery').length).toBeGreaterThanOrEqual(3)
    }
})

const changed = [dataLoss, splitBrain, redisFailover, uncountedReplica, slowSettlement, crashMidLogic, staleMessage]

it.each([...changed, onlyLostReplies])('$id plays each draw twice in a pass', (scenario) => {
  const runs = Array.from({ length: minimumRunsOf(scenario) }, (_, run) => aimOf(scenario.aimed, run))
  for (const draw of scenario.aimed!.draws.keys())
    expect(runs.filter((one) => one === draw).length).toBeGreaterThanOrEqual(2)
})

it('slow-settlement sends no request that arrives when a keyed sink has forgotten its key', () => {
  const isTooSlow = (plan: Plan) => plan.retentionMs < 60_000 && ofKind(plan, 'slow-effect').length > 0
  const [slow] = fc
    .sample(slowSettlement.plans, { numRuns: 100, seed: 3 })
    .filter((plan) => ofKind(plan, 'slow-effect').length > 0)
  expect(isTooSlow({ ...slow!, retentionMs: 5000 })).toBe(true)
  const all = [slowSettlement.plans, ...slowSettlement.aimed!.draws.map(({ plans }) => plans)]
  const plans = all.flatMap((arbitrary) => fc.sample(arbitrary, { numRuns: 1000, seed: 3 }))
  expect(plans.filter(isTooSlow)).toEqual([])
})
