import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { copyAtMs } from '../src/sim/plans/at-time.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  always: (scope) => fc.oneof(drawFault('effect-fails-before')(scope), drawFault('effect-fails-after')(scope)),
  faults: ['effect-fails-before', 'effect-fails-after', 'slow-effect', 'redelivery', 'duplicate-delivery'],
  maxFaults: 3,
  keys: 2,
}

const besides = (always: NonNullable<Workload['always']>) => plansOf({ ...workload, always })

/** The sink refuses the effect permanently. Copies arrive at once, and again later. */
const refused = besides((scope) =>
  fc
    .tuple(
      drawAtFirst('effect-fails-before', 'effect-unapplied')(scope),
      fc.array(fc.integer({ min: 50, max: 4000 }), { minLength: 1, maxLength: 3, size: 'max' }),
    )
    .map(([failing, copies]) => [{ ...failing, how: 'refuse' }, ...copies.map((ms) => copyAtMs(ms))]),
)

export default defineScenario({
  id: 'sink-errors',
  story:
    'The sink refuses an effect for good, fails before or after it has applied it, never sees the request, or answers too late. ' +
    'An error other than a refusal proves nothing about the effect, and a refusal is final.',
  shape: 'single',
  // For layers on Redis, `lost-reply` and `poison-handler` have the same faults.
  stores: ['postgres', 'dynamodb'],
  // With a transactional sink, the effect is a row that the layer itself writes by a statement.
  notOnSink: 'transactional',
  assumptions: ['one server that keeps its data', 'all copies of a message carry the same payload'],
  goals: ['an-effect-was-in-doubt', 'an-effect-failed-before-it-was-applied'],
  recoveryCapMs: 60_000,
  runMs: 6,
  plans: plansOf(workload),
  aimed: {
    every: 3,
    draws: [
      { goals: ['an-effect-failed-before-it-was-applied'], plans: refused },
      {
        goals: ['an-effect-was-in-doubt'],
        plans: besides(drawAtFirst('effect-fails-after', 'effect-applied')),
      },
    ],
  },
})
