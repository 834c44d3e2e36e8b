import { defineScenario } from '../src/contract/scenario.ts'
import { drawFault, plansOf } from '../src/sim/plans/workload.ts'

export default defineScenario({
  id: 'network-partition',
  story:
    'A consumer loses its way to Redis, to the sink or to the broker, in one direction or both, and finds it again: ' +
    'commands and effects arrive late, replies are missing, connections stay half-open.',
  shape: 'single',
  assumptions: ['one Redis server that keeps its data', 'every copy of a message carries the same payload'],
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
  goals: ['a-partition-healed-while-a-delivery-was-open', 'an-effect-was-in-doubt'],
  recoveryCapMs: 60_000,
  plans: plansOf({
    always: drawFault('partition'),
    faults: ['partition', 'slow-link', 'duplicate-delivery', 'redelivery'],
    maxFaults: 3,
  }),
})
