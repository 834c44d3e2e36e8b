/**
 * The workload of plans that were made for a failover on real servers. All times are in real
 * milliseconds.
 */
import type { Plan, PlannedFault } from '../../contract/api/plan.ts'

/** The time at which the primary is lost, and for how long. */
export const lostAtMs = 300
export const healAfterMs = 4_000

export const at = (ms: number) => ({ at: 'time', ms }) as const

/**
 * Copies of all earlier messages. They are delivered after the failover, when the consumers have
 * reconnected.
 */
const copiesOf = (messages: number) =>
  Array.from(
    { length: messages },
    (_, message): PlannedFault => ({
      kind: 'late-copy',
      when: at(0),
      message,
      healAfterMs: 5_500 + 100 * message,
    }),
  )

/** A plan with messages at the given times and one at the end. */
export const failoverPlan = (
  publishedMs: readonly number[],
  faults: readonly PlannedFault[],
  more: Partial<Plan> = {},
): Plan => ({
  consumers: 3,
  messages: [...publishedMs, 6_500].map((publishAtMs, index) => ({
    key: `order-${index + 1}`,
    payload: { order: index + 1, amountCents: 100 * (index + 1) },
    publishAtMs,
  })),
  leaseMs: 500,
  retentionMs: 86_400_000,
  visibilityMs: 2_000,
  redeliveryMs: 100,
  maxAttempts: 50,
  effectMs: 20,
  effectTimeoutMs: 500,
  ...more,
  faults: [...faults, ...copiesOf(publishedMs.length)],
})
