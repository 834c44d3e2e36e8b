import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { atNew, atNthOfAttempt } from '../src/sim/plans/aim.ts'
import { purePlans, several } from '../src/sim/plans/pure-plans.ts'
import { drawFault } from '../src/sim/plans/workload.ts'

/** The reply to the nth kind of command that any consumer sends is lost. */
const atEachCommand = fc
  .integer({ min: 1, max: 5 })
  .map((nth) => ({ kind: 'lost-reply', ...atNew('command-executed', nth) }))

/** The reply to the nth command of one attempt is lost, whatever the earlier commands were. */
const ofOneAttempt = (nth: number) =>
  purePlans({ faults: () => fc.constant([{ kind: 'lost-reply', ...atNthOfAttempt('command-executed', nth) }]) })

export default defineScenario({
  id: 'only-lost-replies',
  story:
    'Redis executes a command, and the connection breaks before the reply is back. Nothing else happens. ' +
    'The client retries the command: if it then finds the key taken, the holder may be itself.',
  shape: 'single',
  stores: ['redis', 'postgres', 'dynamodb'],
  onlyFaults: ['lost-reply'],
  assumptions: [
    'one server that keeps its data',
    'no message is copied, and the broker redelivers only when the layer asks for it',
    'no process, clock or server fails, and the sink answers',
  ],
  goals: ['a-reply-was-lost-after-its-command-executed'],
  recoveryCapMs: 60_000,
  runMs: 3.9,
  // All aimed draws are played twice. `002-watch-multi-nack-on-skip` takes up to 13 runs.
  minimumRuns: 24,
  plans: purePlans({ faults: (scope) => several(fc.oneof(drawFault('lost-reply')(scope), atEachCommand), 3) }),
  aimed: { every: 2, draws: [2, 3, 4, 5, 6, 7].map((nth) => ({ goals: [], plans: ofOneAttempt(nth) })) },
})
