import fc from 'fast-check'
import { defineScenario } from '../src/contract/scenario.ts'
import { drawFault, plansOf } from '../src/sim/plans/workload.ts'

export default defineScenario({
  id: 'redis-restart',
  story:
    'Redis dies and comes back empty, or somebody flushes it, while work is under way and copies of old messages are still about. ' +
    'No record proves nothing any more.',
  shape: 'single',
  assumptions: [
    'one Redis server; it may lose its data, but tells so by its replication id or evicted_keys, or loses all of it',
    'every copy of a message carries the same payload',
  ],
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
  goals: ['a-copy-came-after-its-record-was-lost', 'a-message-was-published-again-after-the-loss'],
  recoveryCapMs: 60_000,
  runMs: 9.3,
  plans: plansOf({
    always: (scope) => fc.oneof(...['redis-restart', 'redis-flushed'].map((kind) => drawFault(kind)(scope))),
    faults: [
      'redis-restart',
      'redis-flushed',
      'duplicate-delivery',
      'redelivery',
      'late-copy',
      'commit-past',
      'scripts-flushed',
      'crash',
    ],
    keys: 2,
  }),
})
