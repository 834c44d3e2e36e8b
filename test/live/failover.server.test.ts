import { expect, it } from 'vitest'
import { failoverPlans } from '../../src/campaign/live/failover-plans.ts'
import { judge } from '../../src/check/index.ts'
import { describeLive, factsOf } from './lab.ts'

describeLive('a failover with real Sentinels', (lab) => {
  it('loses writes that a cut-off primary acknowledged: the Lua pattern repeats an effect, and the gap without a primary is measured', async () => {
    const run = await lab.run('001-lua-server-time', failoverPlans['split-brain']![0]!.plan, {
      shape: 'sentinel',
      longestMs: 14_000,
    })
    // Three Sentinels report it, some of them twice.
    expect(factsOf(run, 'topology')).toMatchObject([{ what: 'promoted', other: 'redis-1' }])
    expect(factsOf(run, 'data-lost').some(({ cause }) => cause === 'split-brain')).toBe(true)
    expect(run.withoutPrimaryMs).toBeGreaterThan(500)
    const [verdict] = judge(run.history, ['at-most-once'])
    expect(verdict?.verdict).toMatchObject({
      verdict: 'violated',
      violations: [{ kind: expect.stringMatching(/^repeat-after-loss/) }, {}],
    })
  })
})
