import fc from 'fast-check'
import type { PlannedFault } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { statedSkewMs } from '../src/sim/plans/skew.ts'
import { plansOf } from '../src/sim/plans/workload.ts'

/**
 * The only consumer restarts shortly before the retention ends. It stops before one of its
 * commands, for less than its lease.
 */
const plans = fc
  .tuple(
    plansOf({
      keys: 1,
      messages: 1,
      spanMs: 20,
      consumers: 1,
      pace: fc.constant({}),
      visibilityMs: fc.integer({ min: 1000, max: 4000 }),
      faults: [],
      effectMs: fc.integer({ min: 1, max: 50 }),
      leaseMs: fc.integer({ min: 4500, max: 5500 }),
      retentionMs: fc.integer({ min: 8000, max: 12_000 }),
    }),
    fc.record({
      soonerMs: fc.integer({ min: 200, max: 500 }),
      laterMs: fc.integer({ min: 300, max: 1000 }),
      nth: fc.oneof(fc.integer({ min: 2, max: 8 }), fc.integer({ min: 9, max: 16 })),
    }),
  )
  .map(([plan, { soonerMs, laterMs, nth }]) => {
    const faults: PlannedFault[] = [
      { kind: 'crash', when: { at: 'effect-applied', consumer: 0, nth: 1 }, healAfterMs: plan.retentionMs - soonerMs },
      {
        kind: 'pause',
        when: { at: 'command-unsent', consumer: 0, nth },
        healAfterMs: soonerMs + 2 * statedSkewMs + laterMs,
      },
    ]
    return { ...plan, faults }
  })

export default defineScenario({
  id: 'too-old-meanwhile',
  story:
    'A consumer dies just after its effect was applied. It is back shortly before the retention is over, takes the key, and ' +
    'stalls for less than its lease. When it goes on, the sink has forgotten the key.',
  shape: 'single',
  stores: ['redis', 'postgres', 'dynamodb'],
  onlySink: 'keyed',
  assumptions: [
    'one server that keeps its data',
    'all copies of a message carry the same payload',
    'the sink remembers a key for the retention and twice the clock skew',
  ],
  goals: ['a-message-was-redelivered'],
  recoveryCapMs: 60_000,
  // `canary-postgres-too-old-to-begin` takes up to 77 runs.
  minimumRuns: 120,
  runMs: 4,
  plans,
})
