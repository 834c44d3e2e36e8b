import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { purePlans, several } from '../src/sim/plans/pure-plans.ts'
import { dayMs, drawFault, lasting } from '../src/sim/plans/workload.ts'

/**
 * A late copy arrives before or after the time for which a layer must remember a key.
 */
const laterMs = fc.oneof(fc.integer({ min: 10_000, max: 90_000 }), fc.integer({ min: dayMs, max: dayMs + 3_600_000 }))

export default defineScenario({
  id: 'only-expiry',
  story:
    'A copy of a message arrives long after the message was handled: before or after its record has expired. Nothing else happens. ' +
    'A layer that finds no record must check the age of the message.',
  shape: 'single',
  // Layers on PostgreSQL have `postgres-late-copies`, because a day with a polling relay is too
  // much for a run.
  stores: ['redis', 'dynamodb'],
  onlyFaults: ['late-copy'],
  assumptions: [
    'one server that keeps its data for the requested time',
    'all copies of a message carry the same payload',
    'no process, connection, clock or server fails',
  ],
  goals: ['a-copy-came-after-the-retention'],
  recoveryCapMs: 60_000,
  runMs: 5.2,
  // Every article pattern that breaks here takes one run.
  minimumRuns: 20,
  plans: purePlans({
    retentionMs: fc.oneof(fc.integer({ min: 5000, max: 30_000 }), fc.constant(dayMs)),
    faults: (scope) =>
      several(
        fc.tuple(drawFault('late-copy')(scope), laterMs).map(([copy, ms]) => lasting(copy, ms)),
        2,
      ),
  }),
})
