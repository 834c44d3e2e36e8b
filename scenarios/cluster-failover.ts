import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { crashAtNewPoint } from '../src/run/faults/crash.ts'
import { clusterRedis } from '../src/sim/plans/redis-plan.ts'
import { drawFault, lasting, plansOf, type Workload } from '../src/sim/plans/workload.ts'

/** Longer than the other nodes wait before they replace a primary. */
const lastingMs = 8000

const workload: Workload = {
  redis: clusterRedis(),
  faults: ['machine-cut-off', 'machine-restart', 'partition', 'crash', 'pause', 'redelivery', 'duplicate-delivery'],
  keys: 2,
  spanMs: 1500,
}

/**
 * Only one shard is written to. Its replica lacks some acknowledged writes when its primary
 * dies.
 */
const behind = fc
  .tuple(
    plansOf({ ...workload, maxFaults: 2, keys: 1, spanMs: 300 }),
    fc.record({ cutMs: fc.nat({ max: 200 }), lagMs: fc.integer({ min: 100, max: 800 }) }),
  )
  .map(([plan, { cutMs, lagMs }]) => ({
    ...plan,
    faults: [
      {
        kind: 'machine-cut-off',
        who: 'primary',
        which: 0,
        from: 'servers',
        withReplica: false,
        when: { at: 'time' as const, ms: cutMs },
        healAfterMs: lastingMs,
      },
      { kind: 'redis-restart', when: { at: 'time' as const, ms: cutMs + lagMs }, healAfterMs: lastingMs },
      ...plan.faults,
    ],
  }))

export default defineScenario({
  id: 'cluster-failover',
  story:
    'In a Redis Cluster the primary of a shard dies, or is cut off from the other nodes and goes on serving until it notices. The other primaries elect its replica. ' +
    'Clients are redirected, and writes that the replica lacks are lost.',
  shape: 'cluster',
  assumptions: ['every replica that can be promoted is known', 'all copies of a message carry the same payload'],
  invariants: [
    'at-most-once',
    'no-lost-message',
    'no-needless-park',
    'no-false-done',
    'same-result',
    'payload-bound',
    'bounded-stall',
    // `no-immortal-keys` is omitted, because a layer may keep one key for each bucket. Other
    // scenarios check it.
  ],
  goals: ['a-server-was-promoted', 'an-acknowledged-write-was-lost-by-failover', 'a-replaced-primary-came-back'],
  recoveryCapMs: 60_000,
  runMs: 73,
  // Enough for the goals. No canary needs this scenario.
  minimumRuns: 28,
  plans: plansOf({
    ...workload,
    always: (scope) =>
      fc
        .tuple(
          fc.oneof(
            ...['redis-restart', 'slow-redis'].map((kind) =>
              drawFault(kind)(scope).map((fault) => lasting(fault, lastingMs)),
            ),
            drawFault('machine-cut-off')(scope).map((fault) => ({
              ...lasting(fault, lastingMs),
              who: 'primary',
              from: 'machines',
            })),
          ),
          // Only in this scenario must a layer tell buckets on other shards about a loss that one
          // bucket noticed.
          fc.array(crashAtNewPoint(), { maxLength: 1 }),
        )
        .map(([fault, crashes]) => [fault, ...crashes]),
  }),
  aimed: { every: 4, draws: [{ goals: ['an-acknowledged-write-was-lost-by-failover'], plans: behind }] },
})
