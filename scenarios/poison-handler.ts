import { defineScenario } from '../src/contract/api/scenario.ts'
import { drawFault, plansOf } from '../src/sim/plans/workload.ts'

export default defineScenario({
  id: 'poison-handler',
  story:
    'One message kills each consumer that handles it, or makes the sink fail, several times in a row; ' +
    'the others must get through, and this one must end too.',
  shape: 'single',
  assumptions: ['one Redis server that keeps its data', 'all copies of a message carry the same payload'],
  goals: ['a-consumer-died-of-a-message', 'an-effect-failed-before-it-was-applied'],
  recoveryCapMs: 60_000,
  // `000-set-nx-marker` takes up to 21 runs.
  minimumRuns: 28,
  runMs: 5.3,
  plans: plansOf({
    always: drawFault('poison'),
    faults: ['effect-fails-before', 'redelivery', 'duplicate-delivery'],
    maxFaults: 3,
  }),
})
