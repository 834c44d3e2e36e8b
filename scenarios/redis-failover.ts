import fc from 'fast-check'
import { defineScenario } from '../src/contract/scenario.ts'
import { sentinelRedis } from '../src/sim/plans/redis-plan.ts'
import { drawFault, plansOf } from '../src/sim/plans/workload.ts'

/** Longer than Sentinels wait before they replace a primary. */
const lastingMs = 8000

const faults = [
  'machine-cut-off',
  'machine-restart',
  'crash',
  'pause',
  'redelivery',
  'duplicate-delivery',
  'lost-reply',
]

const atOnce = plansOf({
  redis: sentinelRedis(),
  always: (scope) =>
    fc.oneof(
      ...['redis-restart', 'slow-redis'].map((kind) =>
        drawFault(kind)(scope).map((fault) => ({ ...fault, healAfterMs: lastingMs })),
      ),
    ),
  faults,
  keys: 2,
})

/** Its replicas were behind by what it had acknowledged for a while, when the primary died. */
const behind = fc
  .tuple(
    plansOf({ redis: sentinelRedis(), faults, maxFaults: 2, keys: 2 }),
    fc.record({ cutMs: fc.nat({ max: 300 }), lagMs: fc.integer({ min: 50, max: 800 }) }),
  )
  .map(([plan, { cutMs, lagMs }]) => ({
    ...plan,
    faults: [
      {
        kind: 'machine-cut-off',
        when: { at: 'time' as const, ms: cutMs },
        who: 'primary',
        which: 0,
        from: 'servers',
        withReplica: false,
        healAfterMs: lastingMs,
      },
      { kind: 'redis-restart', when: { at: 'time' as const, ms: cutMs + lagMs }, healAfterMs: lastingMs },
      ...plan.faults,
    ],
  }))

export default defineScenario({
  id: 'redis-failover',
  story:
    'The primary dies, or stops for longer than its Sentinels wait, and a replica is promoted that may lack the last acknowledged writes. ' +
    'A record that is not there proves nothing, and a lock that was held is free.',
  shape: 'sentinel',
  assumptions: ['every replica that can be promoted is known', 'every copy of a message carries the same payload'],
  invariants: [
    'at-most-once',
    'no-lost-message',
    'no-needless-park',
    'no-false-done',
    'same-result',
    'payload-bound',
    'bounded-stall',
    'no-immortal-keys',
  ],
  goals: ['a-server-was-promoted', 'an-acknowledged-write-was-lost-by-failover'],
  recoveryCapMs: 60_000,
  plans: fc.oneof(atOnce, behind),
})
