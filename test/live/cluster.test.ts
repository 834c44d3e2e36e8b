import { it } from 'vitest'
import { failoverPlans } from '../../src/campaign/live/failover-plans.ts'
import { judge } from '../../src/check/index.ts'
import { describeLive, factsOf } from './lab.ts'

describeLive('x', (lab) => {
  for (const n of [0, 1, 2])
    for (const layer of ['002-check-and-set', 'reference'])
    it(`${layer} ${n}`, async () => {
      const run = await lab.run(layer, failoverPlans['cluster-failover']![n]!.plan, { shape: 'cluster', longestMs: 14_000 })
      for (const e of run.history.events)
        if (['fault-struck', 'fault-healed', 'topology', 'data-lost', 'ended','settled'].includes(e.type)) console.log(e.atUs / 1000, JSON.stringify(e))
      console.log(n, layer, run.withoutPrimaryMs, run.unfit, run.notSeen, run.notMade, run.readyMs, run.tookMs, run.worstLateMs)
      console.log(judge(run.history, ['at-most-once', 'no-lost-message','no-needless-park','no-false-done','bounded-stall']).map((j) => [j.name, JSON.stringify(j.verdict).slice(0,300)]))
      console.log(factsOf(run, 'effect-applied').length)
    }, 60_000)
})
