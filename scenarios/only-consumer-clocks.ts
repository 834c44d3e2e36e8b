import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { purePlans, several } from '../src/sim/plans/pure-plans.ts'
import { drawFault } from '../src/sim/plans/workload.ts'

export default defineScenario({
  id: 'only-consumer-clocks',
  story:
    'The clocks of consumers jump by up to an hour, and jump back. Every key arrives a second time while the first message is being handled, late enough for its holder to be on record. ' +
    'Nothing else happens. A layer that compares its clock with a time that another consumer wrote takes a held key; a layer that uses only the clock of Redis does not.',
  shape: 'single',
  onlyFaults: ['clock-step'],
  needsConsumerClocks: true,
  assumptions: [
    'one Redis server that keeps its data',
    'all copies of a message carry the same payload',
    'no process, connection or server fails, and the clock of Redis is right',
  ],
  goals: ['a-clock-went-astray-while-a-delivery-was-open'],
  recoveryCapMs: 60_000,
  runMs: 4.1,
  // `000-decorator-lease` takes up to 21 runs.
  minimumRuns: 40,
  plans: purePlans({
    againAfterMs: fc.integer({ min: 80, max: 150 }),
    effectMs: fc.integer({ min: 200, max: 400 }),
    faults: (scope) =>
      several(
        fc
          .tuple(drawFault('clock-step')(scope), fc.nat({ max: scope.consumers - 1 }))
          .map(([step, machine]) => ({ ...step, machine })),
        4,
      ),
  }),
})
