/** Files of a user, in the module formats of Node and TypeScript. */

/** A layer on the reference, from either package. */
export const onTheReference = (from: 'onceproof/once' | '@onceproof/once'): string => `
import { defineImplementation, type EffectResult, isSinkRefusal } from 'onceproof'
import { adopt, createOnce, createOnceTables, type PgPool, type RunOutcome } from '${from}'

/** On a pool of any copy of pg: none is installed here. */
export const paid = async (pool: PgPool): Promise<RunOutcome<number>> => {
  await createOnceTables({ pool })
  const once = createOnce({ pool, leaseMs: 5000, retentionMs: 60_000, sink: { kind: 'transactional' }, isRefusal: () => false })
  const message = { key: 'k', payload: 1, producedAt: 1 }
  return once.run(message, async ({ tx }) => (await tx.query('SELECT 1')).rows.length)
}
// @ts-expect-error counted attempts would have to outlive a rollback
export const counted = (pool: PgPool) => createOnce({ pool, leaseMs: 5000, retentionMs: 60_000, maxAttempts: 3, sink: { kind: 'transactional' }, isRefusal: () => false })

export default defineImplementation({
  id: 'on-the-reference',
  deploy: async ({ redis }) => void (await adopt({ redis: redis.options, buckets: 1, since: 0 })),
  create({ redis, leaseMs, retentionMs, sink }) {
    const once = createOnce({ redis: redis.options, replicas: 0, buckets: 1, leaseMs, retentionMs, isRefusal: isSinkRefusal })
    return {
      async handle(message) {
        const outcome: RunOutcome<EffectResult> = await once.run(message, ({ key }) => sink.perform({ key, payload: message.payload }))
        if (outcome.status === 'retry') return { status: 'retry' }
        return outcome.status === 'done' ? { status: 'done', result: outcome.result } : { status: 'dead-letter', reason: outcome.status }
      },
      close: () => once.close(),
    }
  },
})
`

/** A layer that guards nothing. */
export const unguardedInCommonJs = `
const { defineImplementation } = require('onceproof')
module.exports = defineImplementation({
  id: 'unguarded',
  create: ({ sink }) => ({
    handle: async ({ key, payload }) => ({ status: 'done', result: await sink.perform({ key, payload }) }),
  }),
})
`

/** All types that the author of a scenario needs. */
export const scenario = `
import { defineConfig, defineInvariant, defineScenario, defineUpgrade, drawFault, fc, onceProperty, plansOf, purePlans, sentinelRedis, several, simulate } from 'onceproof'
import type { Implementation, PlannedRun, Results, Scenario, Workload } from 'onceproof'

const appliedInTime = defineInvariant({
  id: 'applied-in-time',
  about: 'Effects are applied within a minute.',
  judge(history, index) {
    const late = index.of('effect-applied').filter(({ atUs }) => atUs > 60_000_000)
    return { always: late.map(({ key, seq }) => ({ kind: 'late', key, sentence: history.header.leaseMs + ' ms', events: [seq] })) }
  },
})
const workload: Workload = { faults: ['crash'], always: drawFault('pause'), serial: fc.constant(false), redis: sentinelRedis() }
export const whole: Scenario = defineScenario({
  ...{ id: 'whole', story: '', shape: 'sentinel', assumptions: [], goals: [], recoveryCapMs: 60_000 },
  invariants: ['at-most-once', appliedInTime],
  plans: plansOf(workload),
  aimed: { every: 4, draws: [{ goals: [], plans: purePlans({ faults: (scope) => several(drawFault('pause')(scope), 3) }) }] },
})
const results: Promise<Results> = simulate({ implementation: './a.ts', withNext: new URL('file:///b.ts'), scenarios: ['key-reuse'], runs: 5, seed: 1 })
export const verdicts = results.then(({ pairs }) => pairs.map(({ verdict }) => verdict satisfies 'pass' | 'violated' | 'unknown' | 'error'))
export const upgradeOf = (from: Implementation, to: Implementation) => defineUpgrade({ id: 'upgrade', from, to })
export const config = defineConfig({ implementations: ['./a.ts', { implementation: './a.ts', withNext: './b.ts' }] })
export const asserted: Promise<void> = fc.assert(onceProperty(new URL('file:///a.ts'), 'only-crashes', { sink: 'keyed' }), { numRuns: 5, seed: 1, path: '0:1' })
const pinned: [PlannedRun][] = []
void fc.check(onceProperty('./a.ts', './s.ts'), { examples: pinned }).then(({ counterexample }) => counterexample?.[0].plan.faults.length)
// @ts-expect-error an option that there is not
onceProperty('./a.ts', 'only-crashes', { runs: 5 })
// @ts-expect-error an upgrade without a next version
defineConfig({ implementations: [{ implementation: './a.ts' }] })
// @ts-expect-error an option that there is not
void simulate({ implementation: 'reference', run: 5 })
`
