/**
 * Plans in which copies of a message arrive late: when its record has expired, or just before it
 * may expire. The plans suit any store.
 */
import fc from 'fast-check'
import type { Plan } from '../../contract/api/plan.ts'
import { oneIn } from '../../run/seldom.ts'
import { drawAtFirst } from './aim.ts'
import { atMs, copyAtMs } from './at-time.ts'
import { statedSkewMs } from './skew.ts'
import { dayMs, drawFault, plansOf, type Workload } from './workload.ts'

export interface LateCopies {
  /** The machine whose clock expires records, numbered as in clock faults. */
  readonly clock: number
  /**
   * Largest number of late copies of a message whose produced-at time is in the future. Default 1.
   */
  readonly mostFromTheFuture?: number
  /** Longest delay of a copy after its message, in milliseconds. Default more than a day. */
  readonly latestMs?: number
  readonly postgres?: NonNullable<Workload['postgres']>
}

export function lateCopies({
  clock,
  mostFromTheFuture = 1,
  latestMs = Number.POSITIVE_INFINITY,
  ...store
}: LateCopies) {
  const short = latestMs < dayMs
  const sooner = (plans: fc.Arbitrary<Plan>) => (short ? plans.map((plan) => noLaterThan(latestMs, plan)) : plans)
  const workload: Workload = {
    always: drawFault('late-copy'),
    faults: ['late-copy', 'duplicate-delivery', 'redelivery', 'lost-acknowledgement'],
    maxFaults: 3,
    retentionMs: short
      ? fc.integer({ min: 5000, max: 30_000 })
      : fc.oneof(fc.integer({ min: 5000, max: 30_000 }), fc.constant(dayMs)),
    // Producers whose clocks are wrong: a message from the future seems young for too long.
    producedAtOffMs: oneIn(4, fc.integer({ min: -20_000, max: 90_000 })).map((offMs) => offMs ?? 0),
    ...store,
  }
  return {
    any: sooner(plansOf(workload)),
    youngAgain: youngAgain(workload, clock),
    fromTheFuture: whenItHasCome(sooner(fromTheFuture(workload, mostFromTheFuture))),
    redeliveredTooLate: redeliveredTooLate(workload),
    producedWithinSkew: producedWithinSkew(workload),
    sinkForgetsFirst: sinkForgetsFirst(workload),
  }
}

function noLaterThan(latestMs: number, plan: Plan): Plan {
  const faults = plan.faults.map((fault) => {
    const { healAfterMs = 0 } = fault
    return fault.kind !== 'late-copy' || healAfterMs <= latestMs
      ? fault
      : { ...fault, healAfterMs: healAfterMs % latestMs }
  })
  return { ...plan, faults }
}

/**
 * The clock jumps forwards shortly before the retention is over, by less than twice the skew, and
 * then back. A record that lives no longer than the retention expires at the jump, but a copy that
 * arrives after the jump back is younger than the retention.
 */
function youngAgain(workload: Workload, machine: number): fc.Arbitrary<Plan> {
  return fc
    .tuple(
      plansOf({
        ...workload,
        always: () => fc.constant([]),
        faults: [],
        producedAtOffMs: fc.constant(0),
        keys: 1,
        spanMs: 10,
        effectMs: fc.integer({ min: 1, max: 100 }),
        pace: fc.constant({}),
        leaseMs: fc.integer({ min: 500, max: 2000 }),
        retentionMs: fc.integer({ min: 3000, max: 6000 }),
      }),
      fc.record({
        beforeMs: fc.integer({ min: 500, max: 900 }),
        byMs: fc.integer({ min: 1500, max: 2 * statedSkewMs - 1 }),
      }),
    )
    .map(([plan, { beforeMs, byMs }]) => {
      const ms = plan.retentionMs - beforeMs
      const jump = { kind: 'clock-step', ...atMs(ms), machine, byMs, healAfterMs: 150 }
      // The first copy arrives while the clock is ahead, so that the store notices that the record
      // has expired.
      return { ...plan, faults: [jump, ...[20, 200, 300].map((laterMs) => copyAtMs(ms + laterMs))] }
    })
}

/**
 * The producer's clock is ahead by more than `statedSkewMs`, so a copy that is far too old seems
 * young.
 */
function fromTheFuture(workload: Workload, most: number): fc.Arbitrary<Plan> {
  const copy = fc
    .integer({ min: 30_000, max: 60_000 })
    .map((healAfterMs) => ({ kind: 'late-copy', ...atMs(0), message: 0, healAfterMs }))
  return plansOf({
    ...workload,
    always: () => (most === 1 ? copy : fc.array(copy, { minLength: 2, maxLength: most, size: 'max' })),
    maxFaults: 1,
    retentionMs: fc.integer({ min: 5000, max: 10_000 }),
    producedAtOffMs: fc.integer({ min: 60_000, max: 90_000 }),
  })
}

/**
 * Adds a copy at or shortly after the produced-at time, which is in the future. By then, a record
 * that was written at an earlier copy has expired.
 */
function whenItHasCome(plans: fc.Arbitrary<Plan>): fc.Arbitrary<Plan> {
  return fc.tuple(plans, fc.integer({ min: 0, max: 4000 })).map(([plan, laterMs]) => {
    const { publishAtMs, stampOffMs = 0 } = plan.messages.reduce((one, other) =>
      other.publishAtMs < one.publishAtMs ? other : one,
    )
    const copy = { kind: 'late-copy', ...atMs(0), message: 0, healAfterMs: publishAtMs + stampOffMs + laterMs }
    return { ...plan, faults: [...plan.faults, copy] }
  })
}

/**
 * A consumer dies while it handles a message, or its answer is lost, and the broker redelivers so
 * late that the record of the key may have expired.
 */
function redeliveredTooLate(workload: Workload): fc.Arbitrary<Plan> {
  return fc
    .tuple(
      plansOf({
        ...workload,
        always: (scope) =>
          fc.oneof(
            drawAtFirst('crash', 'effect-unapplied', 'effect-applied', 'effect-answered', 'answered')(scope),
            drawAtFirst('lost-acknowledgement', 'answered')(scope),
          ),
        faults: ['duplicate-delivery'],
        maxFaults: 2,
        producedAtOffMs: fc.constant(0),
        retentionMs: fc.integer({ min: 5000, max: 10_000 }),
      }),
      fc.integer({ min: 1, max: 5000 }),
    )
    .map(([plan, laterMs]) => ({ ...plan, visibilityMs: plan.retentionMs + 2 * statedSkewMs + laterMs }))
}

/**
 * Producers whose clocks are off by at most `statedSkewMs`: no message is too old, and none is from
 * the future.
 */
function producedWithinSkew(workload: Workload): fc.Arbitrary<Plan> {
  return plansOf({
    ...workload,
    always: () => fc.constant([]),
    faults: ['duplicate-delivery', 'redelivery', 'crash'],
    maxFaults: 2,
    retentionMs: fc.constant(dayMs),
    producedAtOffMs: fc.integer({ min: -statedSkewMs, max: statedSkewMs }),
  })
}

/**
 * The consumer dies just after the effect was applied, and restarts shortly before the retention is
 * over. It dies again right before it sends the effect. When it restarts, the sink has forgotten
 * the key.
 */
function sinkForgetsFirst(workload: Workload): fc.Arbitrary<Plan> {
  return fc
    .tuple(
      plansOf({
        ...workload,
        always: () => fc.constant([]),
        faults: [],
        consumers: 1,
        messages: 1,
        producedAtOffMs: fc.constant(0),
        pace: fc.constant({}),
        effectMs: fc.integer({ min: 1, max: 100 }),
        leaseMs: fc.integer({ min: 500, max: 2000 }),
        retentionMs: fc.integer({ min: 6000, max: 10_000 }),
        visibilityMs: fc.integer({ min: 1000, max: 2000 }),
      }),
      fc.integer({ min: 600, max: 1400 }),
      fc.integer({ min: 1, max: 1000 }),
    )
    .map(([plan, soonerMs, laterMs]) => ({
      ...plan,
      faults: [
        { kind: 'crash', ...dies('effect-applied', 1), healAfterMs: plan.retentionMs - soonerMs },
        { kind: 'crash', ...dies('effect-unsent', 2), healAfterMs: soonerMs + 2 * statedSkewMs + laterMs },
      ],
    }))
}

const dies = (at: 'effect-applied' | 'effect-unsent', nth: number) => ({ when: { at, consumer: 0, nth } })
