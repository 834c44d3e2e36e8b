/**
 * Plans with one kind of fault, in a world in which nothing else can go wrong: every key belongs to
 * one message, work is shorter than a lease, a lease is shorter than the broker's grace period, and
 * callers wait for the sink.
 */
import fc from 'fast-check'
import type { Plan, PlannedFault, PlannedMessage, RedisPlan } from '../../contract/api/plan.ts'
import type { Scope } from '../../run/faults/fault.ts'
import { dayMs } from './workload.ts'

/**
 * The parts of pure plans. Durations are in virtual milliseconds.
 * @example
 * ```ts
 * import { drawFault, fc, type PureWorkload } from 'onceproof'
 *
 * const workload: PureWorkload = {
 *   faults: (scope) => fc.tuple(drawFault('crash')(scope)).map(([fault]) => [fault]),
 *   effectMs: fc.constant(50),
 * }
 * ```
 */
export interface PureWorkload {
  readonly faults: (scope: Scope) => fc.Arbitrary<PlannedFault[]>
  /**
   * The producer sends every key twice, the second time this many milliseconds later. Absent: once.
   */
  readonly againAfterMs?: fc.Arbitrary<number>
  /** How long the sink works on one effect, in ms. Default 1 to 200. */
  readonly effectMs?: fc.Arbitrary<number>
  /** Default 8 to 30 s. */
  readonly visibilityMs?: fc.Arbitrary<number>
  /** How long a layer must remember a key, in ms. Default a day. */
  readonly retentionMs?: fc.Arbitrary<number>
  /** The Redis deployment. Default: one server without persistence. */
  readonly redis?: fc.Arbitrary<RedisPlan>
}

const consumers = 3
const mostMessages = 3
/** Messages are published in this interval, once the consumers are connected. */
const span = { fromMs: 100, toMs: 400 }
/** Faults at a time strike in this interval, while messages are being handled. */
const scope: Scope = { consumers, spanMs: 600 }

/**
 * Draws pure plans. Messages, durations and faults of a plan shrink one by one.
 * @example
 * ```ts
 * import { drawFault, purePlans, several } from 'onceproof'
 *
 * const plans = purePlans({ faults: (scope) => several(drawFault('crash')(scope), 3) })
 * ```
 */
export function purePlans(workload: PureWorkload): fc.Arbitrary<Plan> {
  return fc.record({
    consumers: fc.constant(consumers),
    messages: messages(workload.againAfterMs),
    leaseMs: fc.integer({ min: 1000, max: 5000 }),
    retentionMs: workload.retentionMs ?? fc.constant(dayMs),
    visibilityMs: workload.visibilityMs ?? fc.integer({ min: 8000, max: 30_000 }),
    redeliveryMs: fc.integer({ min: 20, max: 500 }),
    maxAttempts: fc.constant(50),
    effectMs: workload.effectMs ?? fc.integer({ min: 1, max: 200 }),
    effectTimeoutMs: fc.constant(3_600_000),
    faults: workload.faults(scope),
    ...(workload.redis === undefined ? {} : { redis: workload.redis }),
  })
}

/**
 * One to `most` faults, drawn independently.
 * @example
 * ```ts
 * import { drawFault, purePlans, several } from 'onceproof'
 *
 * const plans = purePlans({ faults: (scope) => several(drawFault('pause')(scope), 2) })
 * ```
 */
export function several(fault: fc.Arbitrary<PlannedFault>, most: number): fc.Arbitrary<PlannedFault[]> {
  return fc.array(fault, { minLength: 1, maxLength: most, size: 'max' })
}

function messages(againAfterMs: fc.Arbitrary<number> = fc.constant(0)): fc.Arbitrary<PlannedMessage[]> {
  const sent = fc.record({ atMs: fc.integer({ min: span.fromMs, max: span.toMs }), againAfterMs })
  return fc.array(sent, { minLength: 1, maxLength: mostMessages, size: 'max' }).map((all) =>
    all.flatMap(({ atMs, againAfterMs }, index) => {
      const order = index + 1
      const once = { key: `order-${order}`, payload: { order, amountCents: 100 * order }, publishAtMs: atMs }
      return againAfterMs === 0 ? [once] : [once, { ...once, publishAtMs: atMs + againAfterMs }]
    }),
  )
}
