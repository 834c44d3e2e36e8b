import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { crashAtNewPoint } from '../src/run/faults/crash.ts'
import { drawAtFirst } from '../src/sim/plans/aim.ts'
import { purePlans, several } from '../src/sim/plans/pure-plans.ts'
import { drawFault } from '../src/sim/plans/workload.ts'

export default defineScenario({
  id: 'only-crashes',
  story:
    'Consumers are killed in the middle of their work, and the broker redelivers their messages. Nothing else happens. ' +
    'The claim of a dead consumer does not show whether its effect happened: to go on may repeat it, and to skip the message may lose it.',
  shape: 'single',
  stores: ['redis', 'postgres', 'dynamodb'],
  onlyFaults: ['crash'],
  assumptions: [
    'one server that keeps its data',
    'no message is copied, and the broker redelivers only after a crash',
    'no connection, clock or server fails',
  ],
  goals: [
    'a-process-crashed-before-its-effect',
    'a-process-crashed-between-effect-and-acknowledgement',
    'an-effect-was-taken-back',
  ],
  recoveryCapMs: 60_000,
  runMs: 5.4,
  // `000-decorator-lease` takes up to 11 runs.
  minimumRuns: 20,
  plans: purePlans({
    faults: (scope) =>
      several(
        fc.oneof(
          drawFault('crash')(scope),
          crashAtNewPoint(),
          drawAtFirst(
            'crash',
            'command-executed',
            'effect-unsent',
            'effect-unapplied',
            'effect-applied',
            'effect-answered',
          )(scope),
        ),
        3,
      ),
  }),
})
