/**
 * Plans of scenarios with Sentinels, made for live runs: a failover takes real seconds (a Sentinel notices, asks the
 * others, and elects), and a primary that was replaced is not made a replica for ten more. By scenario.
 */
import type { Plan, PlannedFault } from '../../contract/plan.ts'

/** When the primary is lost, and for how long. */
const lostAtMs = 300
const healAfterMs = 4_000

const at = (ms: number) => ({ at: 'time', ms }) as const

/** Copies of all that was dealt with before, once another one is the primary and consumers have followed. */
const copies = [0, 1, 2].map(
  (message): PlannedFault => ({ kind: 'late-copy', when: at(0), message, healAfterMs: 5_500 + 100 * message }),
)

const plan = (faults: readonly PlannedFault[]): Plan => ({
  consumers: 3,
  // One before, two while the others have lost the primary, one at the end.
  messages: [0, lostAtMs + 150, lostAtMs + 250, 6_500].map((publishAtMs, index) => ({
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
  faults: [...faults, ...copies],
})

export const failoverPlans: {
  readonly [scenario: string]: { readonly plan: Plan; readonly goals: readonly string[] }
} = {
  'redis-failover': {
    plan: plan([{ kind: 'redis-restart', when: at(lostAtMs), healAfterMs }]),
    goals: ['a-server-was-promoted'],
  },
  'split-brain': {
    plan: plan([
      { kind: 'machine-cut-off', when: at(lostAtMs), who: 'primary', which: 0, from: 'machines', healAfterMs },
      // Consumers find the new primary when their connections break.
      ...[0, 1, 2].map((consumer): PlannedFault => ({ kind: 'connection-reset', when: at(3_500), consumer })),
    ]),
    goals: ['a-server-was-promoted', 'two-primaries-served-at-once'],
  },
}

export const shapeOf = (scenario: string): 'single' | 'sentinel' =>
  failoverPlans[scenario] === undefined ? 'single' : 'sentinel'
