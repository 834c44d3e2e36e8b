import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { picked } from '../src/run/seldom.ts'
import { atFirst, drawAtFirst } from '../src/sim/plans/aim.ts'
import { copyAtMs } from '../src/sim/plans/at-time.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const workload: Workload = {
  keys: 2,
  faults: ['duplicate-delivery', 'redelivery', 'slow-effect', 'crash'],
  maxFaults: 3,
  // Most plans have unusual keys, because this scenario checks that a layer does not confuse keys.
  keyStyle: picked('plain', 'separated', 'long', 'long', 'case', 'latin', 'unicode', 'punctuated'),
}

/** Copies compete even if they reach the same process at the same time. */
const withinOneProcess = plansOf({
  ...workload,
  consumers: 1,
  keys: 1,
  spanMs: 10,
  always: drawFault('duplicate-delivery'),
})

/** While one consumer handles the first message, another consumer receives it as well. */
const handedOver = plansOf({
  ...workload,
  always: (scope) =>
    drawAtFirst('redelivery', 'command-executed', 'effect-unapplied')(scope).map((fault) => ({ ...fault, message: 0 })),
})

/** The first holder stops after its effect for longer than its lease. A copy arrives. */
const doneLate = plansOf({
  ...workload,
  messages: 1,
  pace: fc.constant({}),
  leaseMs: fc.integer({ min: 500, max: 2000 }),
  effectTimeoutMs: fc.constant(20_000),
  visibilityMs: fc.integer({ min: 6000, max: 9000 }),
  faults: [],
  always: () =>
    fc
      .record({ byMs: fc.integer({ min: 50, max: 1500 }), copyMs: fc.integer({ min: 10_000, max: 15_000 }) })
      .map(({ byMs, copyMs }) => [
        { kind: 'pause', healAfterMs: 3000, near: { limit: 0, byMs }, ...atFirst('effect-applied') },
        copyAtMs(copyMs),
      ]),
})

export default defineScenario({
  id: 'competing-consumers',
  story:
    'A producer sends some keys more than once, and the broker delivers copies to several consumers at the same time. ' +
    'The first consumer does the work; the others must notice.',
  shape: 'single',
  stores: ['redis', 'postgres', 'dynamodb'],
  assumptions: ['one server that keeps its data', 'all copies of a message carry the same payload'],
  goals: ['two-consumers-had-one-message-at-once', 'a-duplicate-was-answered-with-the-stored-result'],
  recoveryCapMs: 60_000,
  runMs: 5.2,
  // `000-get-set-record-lease` takes up to 69 runs.
  minimumRuns: 80,
  plans: plansOf(workload),
  aimed: {
    every: 4,
    draws: [
      { goals: ['a-duplicate-was-answered-with-the-stored-result'], plans: withinOneProcess },
      { goals: ['two-consumers-had-one-message-at-once'], plans: handedOver },
      { goals: [], plans: doneLate },
    ],
  },
})
