import fc from 'fast-check'
import { defineScenario } from '../src/contract/scenario.ts'
import { dayMs, drawFault, plansOf } from '../src/sim/plans/workload.ts'

export default defineScenario({
  id: 'stale-message',
  story:
    'A copy of a message turns up long after everybody was told to forget it: a replayed log, a restored backup, a stuck outbox. ' +
    'A layer that finds no record cannot tell it from a new one.',
  shape: 'single',
  assumptions: ['one Redis server that keeps its data', 'every copy of a message carries the same payload'],
  goals: ['a-copy-came-after-the-retention'],
  recoveryCapMs: 60_000,
  runMs: 9.6,
  plans: plansOf({
    always: drawFault('late-copy'),
    faults: ['late-copy', 'duplicate-delivery', 'redelivery', 'lost-acknowledgement'],
    maxFaults: 3,
    retentionMs: fc.oneof(fc.integer({ min: 5000, max: 30_000 }), fc.constant(dayMs)),
  }),
})
