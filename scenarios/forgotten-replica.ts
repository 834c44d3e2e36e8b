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

/** Sentinels ask a primary for its replicas every ten seconds: first when they start, three seconds before the plan's time. */
const askedAgainMs = 7000

/** A few while the Sentinels know of no replica, and a few with copies long after another server was promoted. */
const early = [0, 1, 2, 3].map((at) => plainOrder(at + 1, 3500 + 700 * at))
const late = [0, 1, 2, 3, 4].map((at) => plainOrder(at + 5, askedAgainMs + 3800 + 400 * at))

/**
 * A replica is back long before the Sentinels ask for it again. Just when they have, the primary is cut off from all machines
 * and goes on serving those who still believe in fewer replicas. Some consumers lose their connections and move to the replica
 * that was promoted; messages produced long after the promotion come to both.
 */
const backAndPromoted = fc
  .tuple(
    plansOf({
      redis: sentinelRedis({ fullSyncMs: fc.constant(0), downAfterMs: fc.integer({ min: 200, max: 600 }) }),
      faults: ['redelivery', 'slow-effect'],
      maxFaults: 2,
    }),
    fc.record({
      takenMs: fc.nat({ max: 200 }),
      awayMs: fc.integer({ min: 100, max: 600 }),
      cutMs: fc.integer({ min: askedAgainMs + 400, max: askedAgainMs + 1000 }),
      healAfterMs: fc.integer({ min: 8000, max: 12_000 }),
      stays: fc.nat({ max: 2 }),
      movedMs: fc.integer({ min: askedAgainMs + 2200, max: askedAgainMs + 3000 }),
      which: fc.nat({ max: 2 }),
    }),
    fc.array(fc.record({ ofLate: fc.nat({ max: late.length - 1 }), afterMs: fc.integer({ min: 5, max: 1500 }) }), {
      minLength: 4,
      maxLength: 8,
      size: 'max',
    }),
  )
  .map(([plan, { takenMs, awayMs, cutMs, healAfterMs, stays, movedMs, which }, copies]) => {
    const messages = [...early, ...late]
    const cut = { who: 'primary', which: 0, from: 'machines', withReplica: true, healAfterMs }
    const faults: PlannedFault[] = [
      { kind: 'machine-forgotten', ...atMs(takenMs), which, healAfterMs: awayMs },
      { kind: 'machine-cut-off', ...atMs(cutMs), ...cut },
      ...[0, 1, 2]
        .filter((consumer) => consumer !== stays)
        .map((consumer) => ({ kind: 'connection-reset', ...atMs(movedMs), consumer })),
      ...copiesOf(
        messages,
        copies.map(({ ofLate, afterMs }) => ({ of: early.length + ofLate, atMs: late[ofLate]!.publishAtMs + afterMs })),
      ),
      ...plan.faults,
    ]
    return { ...plan, messages, faults }
  })

export default defineScenario({
  id: 'forgotten-replica',
  story:
    'An operator stops a replica and has the Sentinels forget it; then it is back, and may be promoted. ' +
    'For a while fewer replicas are known than could take the place of the primary.',
  shape: 'sentinel',
  minimumRuns: 70,
  runMs: 69,
  assumptions: [
    'layers are told of every replica that can be promoted, also while one is away',
    'every copy of a message carries the same payload',
  ],
  goals: ['a-server-was-promoted', 'two-primaries-served-at-once'],
  recoveryCapMs: 60_000,
  plans: fc.oneof(taken, backAndPromoted),
})
