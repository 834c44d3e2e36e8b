/**
 * Scenarios in which nine runs in ten can trigger the frequent bug of a layer, and one the rare
 * bug. Both bugs are of one kind, on one path.
 */
import fc from 'fast-check'
import type { Plan, PlannedFault } from '../../../src/contract/api/plan.ts'
import { defineScenario } from '../../../src/contract/api/scenario.ts'

const plan = (consumers: number, ...faults: readonly PlannedFault[]): Plan => ({
  consumers,
  messages: [{ key: 'order-1', payload: { order: 1 }, publishAtMs: 0 }],
  leaseMs: 1000,
  retentionMs: 86_400_000,
  visibilityMs: 5000,
  redeliveryMs: 100,
  maxAttempts: 5,
  effectMs: 10,
  effectTimeoutMs: 500,
  faults,
})

function frequentAndRare(id: string, frequent: Plan, rare: Plan) {
  return defineScenario({
    id,
    story: 'A frequent bug and a rare one.',
    shape: 'single',
    assumptions: [],
    invariants: ['at-most-once'],
    goals: [],
    recoveryCapMs: 60_000,
    plans: fc.constant(frequent),
    aimed: { every: 10, draws: [{ goals: [], plans: fc.constant(rare) }] },
  })
}

const copyAfter = (ms: number): PlannedFault => ({
  kind: 'late-copy',
  when: { at: 'time', ms: 0 },
  message: 0,
  healAfterMs: ms,
})

const pause = (consumer: number, nth: number, ms: number): PlannedFault => ({
  kind: 'pause',
  when: { at: 'command-executed', consumer, nth },
  healAfterMs: ms,
})

/**
 * Frequent: one copy finds the record, and another one comes after it has ended. Rare: the claim,
 * the fifth command, is refused, and the record is gone when the consumer continues.
 */
export const recordThatEnds = frequentAndRare(
  'record-that-ends',
  plan(1, copyAfter(500), copyAfter(2000)),
  plan(1, copyAfter(500), copyAfter(900), pause(0, 5, 600)),
)

/** The read of one consumer is answered after another consumer has finished. */
export const lateAnswer = frequentAndRare(
  'late-answer',
  plan(2, { kind: 'duplicate-delivery', when: { at: 'time', ms: 1 }, message: 0 }),
  plan(2, pause(0, 1, 300), { kind: 'redelivery', when: { at: 'time', ms: 50 }, message: 0 }),
)
