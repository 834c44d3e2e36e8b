import fc from 'fast-check'
import { defineScenario } from '../src/contract/scenario.ts'
import { beyondTheLease, drawAtFirst } from '../src/sim/plans/aim.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  always: (scope) => fc.oneof(drawFault('pause')(scope), drawFault('slow-effect')(scope)),
  faults: ['pause', 'slow-effect', 'redelivery', 'duplicate-delivery', 'slow-link'],
  maxFaults: 3,
  keys: 2,
  leaseMs: fc.integer({ min: 200, max: 3000 }),
  visibilityMs: fc.integer({ min: 500, max: 8000 }),
}

export default defineScenario({
  id: 'slow-lock-holder',
  story:
    'A consumer that holds the lock stops for longer than its lease (a garbage collection, a suspended machine, a slow sink) and goes on ' +
    'as if nothing had been, while another one has taken over.',
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
  goals: ['a-holder-outlived-its-lease', 'a-paused-process-resumed-after-its-lease'],
  recoveryCapMs: 60_000,
  runMs: 8.5,
  plans: plansOf(workload),
  aimed: {
    every: 4,
    draws: [
      {
        goals: ['a-holder-outlived-its-lease', 'a-paused-process-resumed-after-its-lease'],
        plans: plansOf({
          ...workload,
          always: (scope) =>
            drawAtFirst(
              'pause',
              'command-executed',
              'effect-unsent',
              'effect-unapplied',
              'effect-applied',
            )(scope).map(beyondTheLease),
        }),
      },
    ],
  },
})
