import fc from 'fast-check'
import type { PlannedFault } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { atMs, copyAtMs } from '../src/sim/plans/at-time.ts'
import { plainOrder } from '../src/sim/plans/orders.ts'
import { statedSkewMs } from '../src/sim/plans/skew.ts'
import { plansOf, type Workload } from '../src/sim/plans/workload.ts'

/** One message, whose effect is short compared with the lease. */
const workload: Workload = {
  messages: 1,
  serial: fc.constant(false),
  pace: fc.constant({}),
  faults: [],
  effectMs: fc.integer({ min: 1, max: 30 }),
  leaseMs: fc.integer({ min: 500, max: 1000 }),
}

/**
 * The time at which the message is produced, and the latest time at which its effect is recorded,
 * in milliseconds.
 */
const publishedMs = 10
const recordedMs = 120

/** How long Redis's clock stays ahead, in milliseconds. */
const aheadMs = 150

/**
 * How far the produced-at time is in the future: less than the skew that layers allow for, or
 * between that skew and twice as much.
 */
const producedAtOffMs = fc.oneof(
  fc.integer({ min: statedSkewMs - 200, max: statedSkewMs - 20 }),
  fc.integer({ min: statedSkewMs + 600, max: 2 * statedSkewMs - 10 }),
)

/**
 * The effect is performed as soon as the message arrives. Its record ends early because Redis's
 * clock is ahead. When the clock is right again, the message still counts as young: its produced-at
 * time was in the future.
 */
const endsEarly = fc
  .tuple(
    plansOf({
      ...workload,
      consumers: 2,
      retentionMs: fc.integer({ min: 3000, max: 6000 }),
    }),
    fc.record({
      producedAtOffMs,
      byMs: fc.integer({ min: statedSkewMs - 150, max: statedSkewMs - 50 }),
      soonMs: fc.integer({ min: 20, max: 200 }),
      laterMs: fc.array(fc.integer({ min: aheadMs + 20, max: aheadMs + 80 }), {
        minLength: 1,
        maxLength: 2,
        size: 'max',
      }),
    }),
  )
  .map(([plan, { producedAtOffMs: off, byMs, soonMs, laterMs }]) => {
    const jumpsMs = plan.retentionMs + 2 * statedSkewMs + recordedMs - byMs
    const faults: PlannedFault[] = [
      // The produced-at time is no longer in the future.
      copyAtMs(Math.max(publishedMs, off - statedSkewMs) + soonMs),
      { kind: 'clock-step', ...atMs(jumpsMs), machine: -1, byMs, healAfterMs: aheadMs },
      // The first of these copies arrives while the clock is ahead, because Redis deletes an
      // expired record only when a command reads it.
      ...[20, ...laterMs].map((ms) => copyAtMs(jumpsMs + ms)),
    ]
    return { ...plan, messages: [{ ...plainOrder(1, publishedMs), stampOffMs: off }], faults }
  })

/**
 * The consumer that has taken the key dies before its effect. It restarts when its message has just
 * become too old and the record still exists. The retention is longer than the recovery bound of
 * layers, so the layer must answer before the record ends.
 */
const tooOld = fc
  .tuple(
    plansOf({
      ...workload,
      consumers: 1,
      visibilityMs: fc.integer({ min: 1000, max: 4000 }),
      retentionMs: fc.integer({ min: 300_000, max: 600_000 }),
    }),
    fc.record({ nth: fc.integer({ min: 2, max: 6 }), laterMs: fc.integer({ min: 100, max: 1500 }) }),
  )
  .map(([plan, { nth, laterMs }]) => {
    const healAfterMs = plan.retentionMs + laterMs
    const crash: PlannedFault = { kind: 'crash', when: { at: 'command-unsent', consumer: 0, nth }, healAfterMs }
    return { ...plan, messages: [plainOrder(1, publishedMs)], faults: [crash] }
  })

export default defineScenario({
  id: 'edge-of-retention',
  story:
    'A record expires a moment early, because the clock of Redis is ahead, and its message was produced in the future. Or the record still exists when ' +
    'its message has become too old without being performed.',
  shape: 'single',
  assumptions: [
    'one Redis server that keeps its data',
    'all copies of a message carry the same payload',
    'the clock of Redis jumps forward by less than one second',
  ],
  goals: ['a-copy-came-after-the-retention', 'a-message-was-redelivered-after-the-retention'],
  recoveryCapMs: 60_000,
  runMs: 4,
  // `000-get-set-record-lease` takes up to 30 runs.
  minimumRuns: 32,
  plans: fc.oneof(endsEarly, tooOld),
})
