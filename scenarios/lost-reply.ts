import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { copyAtMs } from '../src/sim/plans/at-time.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  always: (scope) =>
    fc.oneof(drawFault('lost-reply')(scope), drawFault('effect-fails-after')(scope), drawFault('lost-request')(scope)),
  faults: [
    'lost-reply',
    'lost-request',
    'connection-reset',
    'effect-fails-before',
    'effect-fails-after',
    'redelivery',
    'duplicate-delivery',
  ],
  maxFaults: 4,
}

/** Copies arrive at once at few consumers, also at consumers that have just answered. */
const copiesAtOnce = plansOf({
  ...workload,
  consumers: 2,
  effectMs: fc.integer({ min: 1, max: 100 }),
  always: (scope) =>
    fc
      .tuple(
        workload.always!(scope),
        fc.array(fc.integer({ min: 50, max: 800 }), { minLength: 2, maxLength: 3, size: 'max' }),
      )
      .map(([lost, copies]) => [...[lost].flat(), ...copies.map((ms) => copyAtMs(ms))]),
  maxFaults: 1,
})

export default defineScenario({
  id: 'lost-reply',
  story:
    'Redis executes a command and the reply never comes back, or the command never arrives; the sink applies an effect and the answer is lost. ' +
    'The client cannot distinguish these cases, and retries.',
  shape: 'single',
  assumptions: ['one Redis server that keeps its data', 'all copies of a message carry the same payload'],
  goals: [
    'a-reply-was-lost-after-its-command-executed',
    'a-request-was-lost',
    'an-effect-was-in-doubt',
    'an-effect-failed-before-it-was-applied',
  ],
  recoveryCapMs: 60_000,
  runMs: 5.4,
  plans: plansOf(workload),
  aimed: {
    every: 3,
    draws: [
      {
        goals: ['an-effect-failed-before-it-was-applied'],
        plans: plansOf({ ...workload, always: drawAtFirst('effect-fails-before', 'effect-unapplied') }),
      },
      {
        goals: ['an-effect-was-in-doubt'],
        plans: plansOf({ ...workload, always: drawAtFirst('effect-fails-after', 'effect-applied') }),
      },
      { goals: [], plans: copiesAtOnce },
    ],
  },
})
