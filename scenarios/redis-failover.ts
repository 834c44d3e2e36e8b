import fc from 'fast-check'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { atMs, copyAtMs } from '../src/sim/plans/at-time.ts'
import { copiesOf, plainOrder } from '../src/sim/plans/orders.ts'
import { sentinelRedis, someWithReserve } from '../src/sim/plans/redis-plan.ts'
import { drawFault, lasting, plansOf } from '../src/sim/plans/workload.ts'

/** Longer than Sentinels wait before they replace a primary. */
const lastingMs = 8000

const faults = [
  'machine-cut-off',
  'machine-restart',
  'crash',
  'pause',
  'redelivery',
  'duplicate-delivery',
  'lost-reply',
]

const atOnce = plansOf({
  redis: someWithReserve(sentinelRedis()),
  always: (scope) =>
    fc.oneof(
      ...['redis-restart', 'slow-redis'].map((kind) =>
        drawFault(kind)(scope).map((fault) => lasting(fault, lastingMs)),
      ),
    ),
  faults,
  keys: 2,
})

const cutOffPrimary = (from: 'servers' | 'machines') => {
  return { kind: 'machine-cut-off', who: 'primary', which: 0, from, withReplica: false }
}

/**
 * Sentinels make a replaced primary a replica some ten seconds after it is back. As a replica, it
 * acknowledges writes, too.
 */
const demotedAfterMs = 12_000

/** Copies that arrive after another server was promoted. */
const laterCopies = fc
  .array(fc.integer({ min: 3000, max: 9000 }), { minLength: 1, maxLength: 2, size: 'max' })
  .map((times) => times.map((ms) => copyAtMs(ms)))

/** All consumers have effects that wait for replicas when the fault occurs. */
const prompt = { consumers: 3, serial: fc.constant(false), pace: fc.constant({}) } as const

/**
 * When the primary dies, the replicas lack some acknowledged writes. The consumers, which may be
 * waiting for the replicas, lose their connections. Copies arrive later.
 */
const behind = fc
  .tuple(
    plansOf({ ...prompt, redis: sentinelRedis(), faults, maxFaults: 2, keys: 2 }),
    fc.record({
      cutMs: fc.nat({ max: 300 }),
      lagMs: fc.integer({ min: 50, max: 800 }),
      resetMs: fc.integer({ min: 10, max: 400 }),
      copies: laterCopies,
    }),
  )
  .map(([plan, { cutMs, lagMs, resetMs, copies }]) => ({
    ...plan,
    faults: [
      { ...cutOffPrimary('servers'), when: { at: 'time' as const, ms: cutMs }, healAfterMs: lastingMs },
      ...[0, 1, 2].map((consumer) => {
        return { kind: 'connection-reset', when: { at: 'time' as const, ms: cutMs + resetMs }, consumer }
      }),
      { kind: 'redis-restart', when: { at: 'time' as const, ms: cutMs + lagMs }, healAfterMs: lastingMs },
      ...copies,
      ...plan.faults,
    ],
  }))

/**
 * The primary dies or the connection breaks in the middle of a pipeline. At first, ioredis sends a
 * script alone. From about its third command on, it sends several commands together.
 */
const midPipeline = plansOf({
  consumers: 3,
  redis: sentinelRedis(),
  always: () =>
    fc.record({ dies: fc.nat({ max: 2 }), nth: fc.constantFrom(3, 3, 3, 2) }).map(({ dies, nth }) =>
      [0, 1, 2].map((consumer) => {
        const when = { at: 'command-executed' as const, consumer, nth }
        return consumer === dies
          ? { kind: 'redis-restart', when, healAfterMs: lastingMs }
          : { kind: 'lost-reply', when }
      }),
    ),
  faults,
  maxFaults: 2,
  keys: 2,
})

/**
 * The primary's only replica has just restarted, with its disk or without, when the primary dies,
 * stops or is cut off: before the replica requests missing data, or while these data are in flight.
 */
const replicaJustBack = fc
  .tuple(
    plansOf({
      redis: sentinelRedis({
        replicas: fc.constant(1),
        downAfterMs: fc.integer({ min: 200, max: 800 }),
        fullSyncMs: fc.integer({ min: 1, max: 3000 }),
      }),
      faults: faults.filter((kind) => !kind.startsWith('machine-')),
      maxFaults: 2,
      keys: 2,
      spanMs: 1500,
    }),
    fc.record({
      diesMs: fc.integer({ min: 50, max: 600 }),
      awayMs: fc.integer({ min: 1, max: 500 }),
      diskLost: fc.boolean(),
      laterMs: fc.integer({ min: -300, max: 700 }),
      primary: fc.constantFrom({ kind: 'redis-restart' }, { kind: 'slow-redis' }, cutOffPrimary('machines')),
    }),
  )
  .map(([plan, { diesMs, awayMs, diskLost, laterMs, primary }]) => ({
    ...plan,
    faults: [
      {
        kind: 'machine-restart',
        when: { at: 'time' as const, ms: diesMs },
        who: 'replica',
        which: 0,
        diskLost,
        healAfterMs: awayMs,
      },
      {
        ...primary,
        when: { at: 'time' as const, ms: Math.max(0, diesMs + awayMs + laterMs) },
        healAfterMs: lastingMs,
      },
      ...plan.faults,
    ],
  }))

/**
 * The primary's only replica has restarted without its disk, and the primary stops or is cut off in
 * the middle of the full sync.
 */
const midTransfer = fc
  .tuple(
    plansOf({
      redis: sentinelRedis({
        replicas: fc.constant(1),
        downAfterMs: fc.integer({ min: 200, max: 500 }),
        keeps: fc.constant('nothing'),
        fullSyncMs: fc.integer({ min: 2500, max: 6000 }),
        loadingMs: fc.constant(0),
      }),
      faults: faults.filter((kind) => !kind.startsWith('machine-')),
      maxFaults: 2,
      keys: 2,
      spanMs: 1500,
    }),
    fc.record({
      diesMs: fc.integer({ min: 100, max: 1000 }),
      awayMs: fc.integer({ min: 1, max: 200 }),
      laterMs: fc.integer({ min: 100, max: 1500 }),
      primary: fc.oneof(
        { weight: 5, arbitrary: fc.constant({ kind: 'slow-redis' }) },
        { weight: 1, arbitrary: fc.constant(cutOffPrimary('machines')) },
      ),
    }),
  )
  .map(([plan, { diesMs, awayMs, laterMs, primary }]) => ({
    ...plan,
    faults: [
      {
        kind: 'machine-restart',
        when: { at: 'time' as const, ms: diesMs },
        who: 'replica',
        which: 0,
        diskLost: true,
        healAfterMs: awayMs,
      },
      { ...primary, when: { at: 'time' as const, ms: diesMs + awayMs + laterMs }, healAfterMs: lastingMs },
      ...plan.faults,
    ],
  }))

/**
 * The primary's only replica dies during an effect. When the primary fails, the replica is back
 * with its data, but these do not include the attempt. Copies of the message arrive when the old
 * primary has become a replica.
 */
const forgetful = fc
  .tuple(
    plansOf({
      ...prompt,
      redis: sentinelRedis({
        replicas: fc.constant(1),
        downAfterMs: fc.integer({ min: 200, max: 500 }),
        // Sentinels that have not found a replica search again soon.
        failoverTimeoutMs: fc.constant(1000),
        // `snapshot` is excluded, because a snapshot would be due and would include the attempt.
        keeps: fc.constant('aof-everysec'),
        fullSyncMs: fc.integer({ min: 1500, max: 3000 }),
        loadingMs: fc.nat({ max: 200 }),
      }),
      effectMs: fc.integer({ min: 100, max: 200 }),
      faults: ['crash', 'pause', 'redelivery', 'lost-reply'],
      maxFaults: 1,
    }),
    fc.record({
      laterMs: fc.integer({ min: 2000, max: 4000 }),
      diesMs: fc.integer({ min: 30, max: 90 }),
      awayMs: fc.integer({ min: 1, max: 200 }),
      goesMs: fc.integer({ min: 400, max: 1200 }),
      primary: fc.constantFrom({ kind: 'redis-restart' }, { kind: 'slow-redis' }, cutOffPrimary('machines')),
      copiesMs: fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 2, maxLength: 2, size: 'max' }),
    }),
  )
  .map(([plan, { laterMs, diesMs, awayMs, goesMs, primary, copiesMs }]) => {
    const messages = [plainOrder(1, 0), plainOrder(2, laterMs)]
    const demotedMs = laterMs + goesMs + lastingMs + demotedAfterMs
    return {
      ...plan,
      messages,
      faults: [
        {
          kind: 'machine-restart',
          ...atMs(laterMs + diesMs),
          who: 'replica',
          which: 0,
          diskLost: false,
          healAfterMs: awayMs,
        },
        { ...primary, ...atMs(laterMs + goesMs), healAfterMs: lastingMs },
        ...copiesOf(
          messages,
          copiesMs.map((ms) => ({ of: 1, atMs: demotedMs + ms })),
        ),
        ...plan.faults,
      ],
    }
  })

export default defineScenario({
  id: 'redis-failover',
  story:
    'The primary dies, or stalls for longer than its Sentinels wait, and a replica is promoted that may lack the last acknowledged writes, ' +
    'or has just restarted empty. A missing record proves nothing, and a held lock is free.',
  shape: 'sentinel',
  assumptions: ['every replica that can be promoted is known', 'all copies of a message carry the same payload'],
  goals: [
    'a-server-was-promoted',
    'an-acknowledged-write-was-lost-by-failover',
    'a-replica-that-never-synced-was-promoted',
    'a-replica-that-forgot-was-promoted',
    'a-replica-was-promoted-mid-resync',
    'a-stopped-primary-woke-up',
    'a-sentinel-learned-late',
    'half-a-pipeline-was-executed',
    'a-command-was-executed-after-its-client-had-given-up',
    'a-wait-was-sent-again',
  ],
  recoveryCapMs: 60_000,
  runMs: 21,
  // `canary-failover-unnoticed` takes up to 16 runs. With 24 runs, each aimed draw is played three
  // times.
  minimumRuns: 24,
  plans: fc.oneof(
    { weight: 2, arbitrary: atOnce },
    { weight: 2, arbitrary: behind },
    { weight: 2, arbitrary: replicaJustBack },
    { weight: 1, arbitrary: midPipeline },
  ),
  aimed: {
    every: 2,
    draws: [
      {
        goals: [
          'a-replica-that-never-synced-was-promoted',
          'a-replica-that-forgot-was-promoted',
          'a-replica-was-promoted-mid-resync',
          'a-stopped-primary-woke-up',
          'a-command-was-executed-after-its-client-had-given-up',
        ],
        plans: midTransfer,
      },
      { goals: ['an-acknowledged-write-was-lost-by-failover', 'a-wait-was-sent-again'], plans: behind },
      { goals: ['half-a-pipeline-was-executed'], plans: midPipeline },
      { goals: ['a-replica-that-forgot-was-promoted'], plans: forgetful },
    ],
  },
})
