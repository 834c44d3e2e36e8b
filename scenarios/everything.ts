import { defineScenario } from '../src/contract/scenario.ts'
import { faults } from '../src/sim/faults/index.ts'
import { plansOf } from '../src/sim/plans/workload.ts'

export default defineScenario({
  id: 'everything',
  story:
    'Every kind of fault there is. Each run first draws which kinds may occur in it at all, ' +
    'so that some runs go deep into a few of them and others mix many.',
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
  goals: [
    'a-message-was-redelivered',
    'a-reply-was-lost-after-its-command-executed',
    'an-effect-was-in-doubt',
    'a-copy-came-after-its-record-was-lost',
    'a-holder-outlived-its-lease',
    'a-clock-went-astray-while-a-delivery-was-open',
    'redis-refused-a-command',
    'a-message-was-parked-in-doubt',
  ],
  recoveryCapMs: 60_000,
  plans: plansOf({ faults: [...faults.keys()], swarm: true, maxFaults: 8, messages: 6, keys: 3 }),
})
