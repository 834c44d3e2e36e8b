/** Runs on a real Redis Cluster whose nodes detect failures, vote and come back on their own. */
import { expect, it } from 'vitest'
import scenario from '../../../scenarios/cluster-failover.ts'
import { failoverPlans } from '../../../src/campaign/live/failover-plans.ts'
import { judge } from '../../../src/check/index.ts'
import type { Plan } from '../../../src/contract/api/plan.ts'
import type { LiveOutcome } from '../../../src/contract/results/live-run.ts'
import { chanceFrom, describeLive, factsOf } from '../lab.ts'

/**
 * Gives nodes more time before they miss a primary, so that the speed of the machine does not
 * matter.
 */
function patient(run: number): Plan {
  const { plan } = failoverPlans['cluster-failover']![run]!
  return { ...plan, redis: { ...plan.redis!, downAfterMs: 1000 } }
}
const [cutOff, killed, stopped] = [0, 1, 2].map(patient) as [Plan, Plan, Plan]

const onCluster = { shape: 'cluster', longestMs: 16_000 } as const

const brokenBy = (run: LiveOutcome) =>
  judge(run.history, scenario.invariants).flatMap(({ name, verdict }) =>
    verdict.verdict === 'violated' ? verdict.violations.map(({ kind }) => `${name} ${kind}`) : [],
  )

const topologyOf = (run: LiveOutcome) => factsOf(run, 'topology').map(({ what, node, other }) => [what, node, other])

describeLive('a Cluster that loses a primary', (lab) => {
  it('elects its replica, which lacks the last acknowledged writes, and the layer repeats the effect', async () => {
    const run = await lab.run('002-check-and-set', cutOff, onCluster)
    const [struck] = factsOf(run, 'fault-struck').filter(({ fault }) => fault === 'machine-cut-off')
    const [old] = /^redis-\da/.exec(struck!.sentence)!
    const successor = old.replace('a', 'b')
    expect(topologyOf(run)).toEqual([
      ['promoted', successor, old],
      ['resynced', old, undefined],
    ])
    const [lost] = factsOf(run, 'data-lost')
    expect(lost).toMatchObject({ node: old, cause: 'failover', acknowledged: true })
    expect(brokenBy(run)).toContain('at-most-once repeat-after-loss:failover')
    expect(run.withoutPrimaryMs).toBeGreaterThan(500)
    expect({ unfit: run.unfit, notSeen: run.notSeen, notMade: run.notMade }).toEqual({
      unfit: null,
      notSeen: [],
      notMade: [],
    })
  })

  it.each([1, 2, 3])(
    'neither repeats nor loses an effect of the reference, with choices from seed %s',
    async (seed) => {
      const run = await lab.run('reference', cutOff, { ...onCluster, chance: chanceFrom(seed) })
      expect(topologyOf(run).map(([what]) => what)).toContain('promoted')
      expect({ broken: brokenBy(run), unfit: run.unfit, notSeen: run.notSeen }).toEqual({
        broken: [],
        unfit: null,
        notSeen: [],
      })
      expect(run.history.events.at(-1)).toMatchObject({ type: 'ended', complete: true })
    },
  )

  it('has it back as a replica without its data', async () => {
    const run = await lab.run('reference', killed, onCluster)
    const [struck] = factsOf(run, 'fault-struck').filter(({ fault }) => fault === 'redis-restart')
    const old = struck!.node!
    expect(topologyOf(run)).toEqual([
      ['promoted', old.replace('a', 'b'), old],
      ['resynced', old, undefined],
    ])
    expect(brokenBy(run)).toEqual([])
  })

  it('loses its data if the dead primary is back before it is replaced, once it serves again', async () => {
    const redis = { ...killed.redis!, downAfterMs: 3000 }
    const faults = killed.faults.map((fault) =>
      fault.kind === 'redis-restart' ? { ...fault, healAfterMs: 300 } : fault,
    )
    const run = await lab.run('002-check-and-set', { ...killed, redis, faults }, onCluster)
    const back = factsOf(run, 'fault-healed').find(({ fault }) => fault === 'redis-restart')!
    expect(topologyOf(run).map(([what]) => what)).not.toContain('promoted')
    const lost = factsOf(run, 'data-lost')
    expect(lost.map(({ cause }) => cause)).toEqual(['restart'])
    // Until it serves, the others may still elect its replica, which has all data.
    expect(lost[0]!.seq).toBeGreaterThan(back.seq)
  })

  it('lets a resumed primary execute waiting commands in vain', async () => {
    const run = await lab.run('002-check-and-set', stopped, onCluster)
    const old = factsOf(run, 'fault-struck').find(({ fault }) => fault === 'slow-redis')!.node!
    const [promoted] = factsOf(run, 'topology')
    expect(promoted).toMatchObject({ what: 'promoted', other: old })
    const healed = factsOf(run, 'fault-healed').find(({ fault }) => fault === 'slow-redis')!
    expect(promoted!.seq).toBeLessThan(healed.seq)
    expect(factsOf(run, 'data-lost').filter(({ cause }) => cause === 'split-brain')).toContainEqual(
      expect.objectContaining({ node: old, redisKeys: [expect.stringMatching(/^idempotency:v1:order-/)] }),
    )
  })
})
