import fc from 'fast-check'
import { commandBoundaries } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { crashAtNewPoint } from '../src/run/faults/crash.ts'
import { atFirst, atNew } from '../src/sim/plans/aim.ts'
import { plansOf } from '../src/sim/plans/workload.ts'

/** The sink refuses, and the process is killed near the commands that record the refusal. */
const refused = plansOf({
  consumers: 2,
  keys: 2,
  faults: ['redelivery'],
  maxFaults: 1,
  always: () =>
    fc
      .record({
        at: fc.constantFrom(...commandBoundaries),
        nth: fc.integer({ min: 5, max: 6 }),
        healAfterMs: fc.integer({ min: 1, max: 2000 }),
      })
      .map(({ at, nth, healAfterMs }) => [
        { kind: 'effect-fails-before', how: 'refuse', ...atFirst('effect-unapplied') },
        { kind: 'crash', ...atNew(at, nth), healAfterMs },
      ]),
})

export default defineScenario({
  id: 'late-crash',
  story:
    'A consumer is slow, and then it is killed: while it renews its lease, waits for a slow sink, releases its key, ' +
    'or after its lease has ended and another consumer has taken over.',
  shape: 'single',
  assumptions: ['one Redis server that keeps its data', 'all copies of a message carry the same payload'],
  goals: ['a-holder-outlived-its-lease', 'a-process-crashed-before-its-effect', 'a-message-was-redelivered'],
  recoveryCapMs: 60_000,
  // `002-check-and-set-nack-on-skip` takes up to 82 runs.
  minimumRuns: 108,
  runMs: 8.9,
  plans: fc
    .tuple(
      plansOf({
        always: crashAtNewPoint,
        faults: ['pause', 'effect-fails-before', 'lost-reply', 'slow-redis'],
        maxFaults: 6,
        consumers: 2,
        messages: 8,
        keys: 4,
        leaseMs: fc.integer({ min: 200, max: 1000 }),
        // Often longer than a third of the lease, sometimes longer than the lease, never longer
        // than the caller's timeout.
        effectMs: fc.integer({ min: 1, max: 450 }),
      }),
      fc.array(crashAtNewPoint(), { maxLength: 3, size: 'max' }),
    )
    .map(([plan, crashes]) => ({ ...plan, faults: [...plan.faults, ...crashes] })),
  aimed: { every: 8, draws: [{ goals: [], plans: refused }] },
})
