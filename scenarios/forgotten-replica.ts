import fc from 'fast-check'
import type { PlannedFault } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { atMs } from '../src/sim/plans/at-time.ts'
import { copiesOf, plainOrder } from '../src/sim/plans/orders.ts'
import { sentinelRedis } from '../src/sim/plans/redis-plan.ts'
import { drawFault, plansOf } from '../src/sim/plans/workload.ts'

/** Any replica, at any time, among other faults. */
const taken = plansOf({
  redis: sentinelRedis(),
  always: drawFault('machine-forgotten'),
  faults: ['machine-forgotten', 'machine-restart', 'slow-redis', 'crash', 'pause', 'redelivery', 'duplicate-delivery'],
  maxFaults: 3,
  keys: 2,
  spanMs: 2000,
})

/**
 * When the Sentinels query the primary for its replicas: every ten seconds, starting three seconds
 * before the plan's time 0.
 */
const askedAgainMs = 7000

/** Sentinels make a replaced primary a replica some ten seconds after it restarts or reconnects. */
const demotedAfterMs = 12_000

/**
 * `early`: enough messages for all consumers while the Sentinels know one replica too few.
 * `soonAfter`: just after another server is promoted. `late`: after that.
 */
const early = [0, 1, 2, 3, 4, 5].map((at) => plainOrder(at + 1, 4000 + 400 * at))
const soonAfter = [0, 1, 2].map((at) => plainOrder(at + 7, askedAgainMs + 3500 + 100 * at))
const late = [0, 1, 2, 3].map((at) => plainOrder(at + 10, askedAgainMs + 5200 + 300 * at))
const messages = [...early, ...soonAfter, ...late]

/**
 * A replica restarts long before the Sentinels query the primary for its replicas again. Just after
 * that query, the primary is cut off from all machines except another replica. The primary still
 * serves one consumer, which still counts too few replicas. The other consumers lose their
 * connections and move to the promoted replica. Messages produced long after the promotion reach
 * both sides. After the cut, the old primary becomes a replica and loses its writes, and copies
 * arrive.
 */
const backAndPromoted = fc
  .tuple(
    plansOf({
      redis: sentinelRedis({ fullSyncMs: fc.constant(0), downAfterMs: fc.integer({ min: 200, max: 600 }) }),
      consumers: 3,
      faults: ['redelivery', 'slow-effect'],
      maxFaults: 1,
      effectMs: fc.integer({ min: 1, max: 100 }),
      pace: fc.constant({}),
    }),
    fc.record({
      takenMs: fc.nat({ max: 200 }),
      awayMs: fc.integer({ min: 100, max: 600 }),
      cutMs: fc.integer({ min: askedAgainMs + 400, max: askedAgainMs + 700 }),
      healAfterMs: fc.integer({ min: 6500, max: 8000 }),
      stays: fc.nat({ max: 2 }),
      movedMs: fc.integer({ min: askedAgainMs + 2400, max: askedAgainMs + 3300 }),
      copiesAfterMs: fc.array(fc.integer({ min: 1, max: 8000 }), { minLength: 4, maxLength: 4, size: 'max' }),
    }),
  )
  .map(([plan, { takenMs, awayMs, cutMs, healAfterMs, stays, movedMs, copiesAfterMs }]) => {
    const cut = { who: 'primary', which: 0, from: 'machines', withReplica: true, healAfterMs }
    const demotedMs = cutMs + healAfterMs + demotedAfterMs
    const faults: PlannedFault[] = [
      { kind: 'machine-forgotten', ...atMs(takenMs), which: 1, healAfterMs: awayMs },
      { kind: 'machine-cut-off', ...atMs(cutMs), ...cut },
      ...[0, 1, 2]
        .filter((consumer) => consumer !== stays)
        .map((consumer) => ({ kind: 'connection-reset', ...atMs(movedMs), consumer })),
      ...copiesOf(
        messages,
        copiesAfterMs.map((ms, nth) => ({ of: messages.length - late.length + nth, atMs: demotedMs + ms })),
      ),
      ...plan.faults,
    ]
    return { ...plan, messages, faults }
  })

export default defineScenario({
  id: 'forgotten-replica',
  story:
    'An operator stops a replica and resets the Sentinels; then it is back, and may be promoted. ' +
    'For a while the Sentinels know fewer replicas than could be promoted.',
  shape: 'sentinel',
  // `canary-waits-for-the-known` takes up to 9 runs.
  minimumRuns: 20,
  runMs: 69,
  assumptions: [
    'layers know every replica that can be promoted, also while one is away',
    'all copies of a message carry the same payload',
  ],
  goals: ['a-server-was-promoted', 'two-primaries-served-at-once'],
  recoveryCapMs: 60_000,
  plans: fc.oneof(taken, backAndPromoted),
})
