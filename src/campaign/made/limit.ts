/** The time limits of a layer: what each limit must outlast, and the plans that test the limit. */
import fc from 'fast-check'
import type { Plan, PlannedFault, PlannedMessage } from '../../contract/api/plan.ts'
import type { TimeLimit, WorstCase } from '../../contract/results/tune.ts'
import { drawAtFirst } from '../../sim/plans/aim.ts'
import { statedSkewMs } from '../../sim/plans/skew.ts'
import { dayMs, lasting } from '../../sim/plans/workload.ts'

export interface Limit {
  /** A stable id, which tokens and results use. */
  readonly id: TimeLimit
  /**
   * The parts of the worst case that the limit must outlast. The plans contain only these parts.
   */
  readonly outlasts: readonly (keyof WorstCase)[]
  /** A description in one sentence, without the value. */
  readonly story: string
  /** The name of a state that must be reached. Otherwise the value was not tested. */
  readonly goal: string
  readonly plans: (valueMs: number, worst: WorstCase) => fc.Arbitrary<Plan>
}

const consumers = 3

/**
 * Draws a number from `leastMs` to `mostMs`. In half of the cases it is the maximum, which matters
 * most. Shrinks towards the maximum.
 */
const between = (leastMs: number, mostMs: number): fc.Arbitrary<number> =>
  fc.oneof(fc.constant(mostMs), fc.integer({ min: leastMs, max: mostMs }))
const upTo = (ms: number): fc.Arbitrary<number> => between(1, ms)

/** The settings of both limits: nothing goes wrong except the worst case. */
const calm = {
  consumers: fc.constant(consumers),
  maxAttempts: fc.constant(50),
  // The effect never times out, and the broker never redelivers by itself, so the plan makes the
  // only copies.
  effectTimeoutMs: fc.constant(dayMs),
  visibilityMs: fc.constant(2 * dayMs),
}

/** Each message has a separate key, so that only copies of a message compete. */
const messages = (most: number): fc.Arbitrary<PlannedMessage[]> =>
  fc
    .array(fc.nat({ max: 100 }), { minLength: 1, maxLength: most, size: 'max' })
    .map((times) =>
      times.map((publishAtMs, at) => ({ key: `order-${at + 1}`, payload: { order: at + 1 }, publishAtMs })),
    )

/** A clock step of a consumer or of Redis. */
function clockStep(skewMs: number, withinMs: number): fc.Arbitrary<PlannedFault[]> {
  if (skewMs === 0) return fc.constant([])
  return fc
    .record({
      machine: fc.integer({ min: -1, max: consumers - 1 }),
      ms: fc.nat({ max: withinMs }),
      byMs: upTo(skewMs),
      backwards: fc.boolean(),
    })
    .map(({ machine, ms, byMs, backwards }) => [
      { kind: 'clock-step', when: { at: 'time', ms }, machine, byMs: backwards ? -byMs : byMs },
    ])
}

/** A pause of a consumer that is working on a key. */
function pause(pauseMs: number): fc.Arbitrary<PlannedFault[]> {
  if (pauseMs === 0) return fc.constant([])
  const anywhere = drawAtFirst(
    'pause',
    ...(['command-executed', 'reply-received', 'effect-unsent', 'effect-applied', 'effect-answered'] as const),
  )
  return fc.tuple(anywhere({ consumers, spanMs: 100 }), upTo(pauseMs)).map(([fault, ms]) => [lasting(fault, ms)])
}

/**
 * Draws a time. In half of the cases, it is just after the limit has passed, because a limit that
 * is slightly too short fails only then.
 */
const orAtTheEndOf = (limitMs: number, other: fc.Arbitrary<number>): fc.Arbitrary<number> =>
  fc.oneof(other, fc.integer({ min: limitMs, max: limitMs + endMs }))
const endMs = 15

const lease: Limit = {
  id: 'lease',
  outlasts: ['workMs', 'pauseMs', 'skewMs'],
  story: 'Copies of a message arrive while a consumer handles it slowly or stalls, or a clock jumps.',
  goal: 'two-consumers-had-one-message-at-once',
  plans(valueMs, { workMs, pauseMs, skewMs }) {
    const longestMs = workMs + pauseMs + skewMs
    const copy = fc.record({
      of: fc.nat({ max: mostMessages - 1 }),
      afterMs: orAtTheEndOf(valueMs, fc.nat({ max: longestMs })),
    })
    return fc
      .record({
        ...calm,
        messages: messages(mostMessages),
        leaseMs: fc.constant(valueMs),
        retentionMs: fc.constant(dayMs),
        // The interval at which a message with a taken key is redelivered: short, to hit the moment
        // at which the lease expires, or long.
        redeliveryMs: fc.oneof(
          fc.integer({ min: Math.ceil(longestMs / 200), max: Math.ceil(longestMs / 50) }),
          fc.integer({ min: Math.ceil(longestMs / 50), max: Math.ceil(longestMs / 10) }),
        ),
        effectMs: upTo(workMs),
        copies: fc.array(copy, { minLength: 1, maxLength: 2, size: 'max' }),
        other: fc.tuple(pause(pauseMs), clockStep(skewMs, longestMs)),
      })
      .map(({ copies, other, ...plan }): Plan => {
        const copied = copies.map(({ of, afterMs }): PlannedFault => {
          const message = of % plan.messages.length
          const ms = plan.messages[message]!.publishAtMs + afterMs
          return { kind: 'duplicate-delivery', when: { at: 'time', ms }, message }
        })
        return { ...plan, faults: [...copied, ...other.flat()] }
      })
  },
}
const mostMessages = 3

const retention: Limit = {
  id: 'retention',
  outlasts: ['redeliveryMs', 'skewMs'],
  story: 'Copies of a message arrive long after it was handled, and a clock jumps.',
  goal: 'a-message-was-redelivered',
  plans(valueMs, { redeliveryMs, skewMs }) {
    // The earliest time of a copy. An earlier copy would arrive while the message is still being
    // processed, which is a test of the lease.
    const soonestMs = Math.ceil(redeliveryMs / 2)
    const anyTime = between(soonestMs, redeliveryMs)
    const isMet = valueMs >= soonestMs && valueMs + endMs <= redeliveryMs
    return fc
      .record({
        ...calm,
        messages: messages(1),
        // The lease is not longer than the retention, because a layer may refuse a longer lease.
        leaseMs: fc.constant(Math.min(valueMs, 1000)),
        retentionMs: fc.constant(valueMs),
        // The minimum time for which layers may assume that the sink remembers a key.
        sinkRemembersMs: fc.constant(valueMs + 2 * statedSkewMs),
        redeliveryMs: fc.integer({ min: 20, max: 500 }),
        effectMs: fc.integer({ min: 1, max: 20 }),
        copies: fc.array(isMet ? orAtTheEndOf(valueMs, anyTime) : anyTime, { minLength: 1, maxLength: 3, size: 'max' }),
        other: clockStep(skewMs, redeliveryMs),
      })
      .map(({ copies, other, ...plan }): Plan => {
        const when = { at: 'time' as const, ms: plan.messages[0]!.publishAtMs }
        const late = copies.map((healAfterMs): PlannedFault => ({ kind: 'late-copy', when, message: 0, healAfterMs }))
        return { ...plan, faults: [...late, ...other] }
      })
  },
}

export const limits: readonly Limit[] = [lease, retention]

/** The parts of the worst case that a limit must outlast. */
export function partOf({ outlasts }: Limit, worst: WorstCase): Partial<WorstCase> {
  return Object.fromEntries(outlasts.map((part) => [part, worst[part]]))
}
