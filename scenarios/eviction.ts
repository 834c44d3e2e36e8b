import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { clockWithinSkew, producedAtWithinSkew, withinSkewText } from '../src/sim/plans/skew.ts'
import { drawFault, plansOf } from '../src/sim/plans/workload.ts'

export default defineScenario({
  id: 'eviction',
  story:
    'An operator sets a maxmemory-policy that evicts, memory runs out, and Redis drops records whose keys had days to live. ' +
    'Copies of their messages arrive.',
  shape: 'single',
  assumptions: [
    'one Redis server; unless it loses all data, every loss changes its replication id or its evicted_keys',
    'all copies of a message carry the same payload',
    withinSkewText,
  ],
  goals: ['a-copy-came-after-its-record-was-lost'],
  recoveryCapMs: 60_000,
  runMs: 6.8,
  plans: plansOf({
    always: (scope) => fc.tuple(drawFault('eviction')(scope), clockWithinSkew).map((some) => some.flat()),
    producedAtOffMs: producedAtWithinSkew,
    faults: ['eviction', 'redis-out-of-memory', 'duplicate-delivery', 'redelivery', 'late-copy'],
    keys: 2,
  }),
})
