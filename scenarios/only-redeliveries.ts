import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { purePlans, several } from '../src/sim/plans/pure-plans.ts'
import { drawFault } from '../src/sim/plans/workload.ts'

const kinds = ['duplicate-delivery', 'redelivery']

export default defineScenario({
  id: 'only-redeliveries',
  story:
    'The broker delivers copies, and a rebalance delivers a message to a second consumer while the first is handling it. Nothing else happens. ' +
    'A layer that checks and takes a key in one step is safe here; a layer that reads first and writes later is not.',
  shape: 'single',
  stores: ['redis', 'postgres', 'dynamodb'],
  onlyFaults: kinds,
  assumptions: [
    'one server that keeps its data',
    'all copies of a message carry the same payload',
    'no process, connection, clock or server fails',
  ],
  goals: ['two-consumers-had-one-message-at-once', 'a-duplicate-was-answered-with-the-stored-result'],
  recoveryCapMs: 60_000,
  runMs: 3.7,
  // `000-get-set-record-lease` takes up to 3 runs.
  minimumRuns: 20,
  plans: purePlans({
    effectMs: fc.integer({ min: 20, max: 200 }),
    faults: (scope) =>
      several(
        fc.oneof(
          ...kinds.flatMap((kind) => [
            drawFault(kind)(scope),
            drawAtFirst(kind, 'delivery-received', 'command-executed', 'effect-unapplied')(scope),
          ]),
        ),
        4,
      ),
  }),
})
