/** The columns of a configuration search: ways in which a deployment may lose data. */
import fc from 'fast-check'
import type { PlannedFault } from '../../contract/api/plan.ts'
import { atBoundary, type Scope } from '../../run/faults/fault.ts'
import { drawFault, type Workload } from '../../sim/plans/workload.ts'
import type { Configuration, RedisFields } from './configuration.ts'

export interface Loss {
  /** A stable id, which tokens and results use. */
  readonly id: string
  /** The heading of the column. */
  readonly title: string
  /** A description in one sentence. */
  readonly about: string
  /** Why the loss does not apply to the deployment; null if it does. */
  readonly notOn: (configuration: Configuration) => string | null
  /** The faults of every plan. */
  readonly always: (scope: Scope, configuration: Configuration) => fc.Arbitrary<PlannedFault | PlannedFault[]>
  /** Kinds of further faults, of which a plan may have a few. */
  readonly faults: readonly string[]
  /** Settings that override the settings of the workload. */
  readonly workload?: Pick<Workload, 'spanMs' | 'keys' | 'messages'>
  /** The names of states that must be reached. Otherwise the cell was not tested. */
  readonly goals: (configuration: Configuration) => readonly string[]
  /**
   * The prefix of the violations that this loss causes. The search looks for these violations, even
   * if others occur.
   */
  readonly shows: string
  /** Settings that override the settings of the deployment. */
  readonly redis?: RedisFields
}

/** Faults that any broker has. Copies reveal that a record is gone. */
const copies = ['duplicate-delivery', 'redelivery', 'lost-acknowledgement']
const afterLoss = 'at-most-once repeat-after-loss'

/**
 * One fault of the catalogue that strikes while messages arrive. The fault lasts between `minMs`
 * and `maxMs`, independent of the layer's limits.
 */
function lasting(kind: string, minMs: number, maxMs: number, more: Partial<PlannedFault> = {}) {
  return (scope: Scope): fc.Arbitrary<PlannedFault> =>
    fc
      .tuple(
        drawFault(kind)({ ...scope, spanMs: Math.min(scope.spanMs / 2, 3000) }),
        fc.integer({ min: minMs, max: maxMs }),
      )
      .map(([{ near: _, ...fault }, healAfterMs]) => ({ ...fault, ...more, healAfterMs }))
}

const needsFailover = ({ hasReplicas, failsOver }: Configuration): string | null =>
  failsOver ? null : hasReplicas ? 'no replica is promoted' : 'no replica to promote'

/** Sentinels detect the failure before the primary is back. */
const impatient: RedisFields = { downAfterMs: fc.integer({ min: 200, max: 1500 }) }

export const losses: readonly Loss[] = [
  {
    id: 'consumers-crash',
    title: 'no fault of Redis',
    about: 'Redis has no fault. Consumers crash, pause, and lose replies.',
    notOn: () => null,
    always: (scope) =>
      fc.record({
        kind: fc.constant('crash'),
        when: atBoundary(scope, ['reply-received', 'effect-unsent', 'effect-applied', 'effect-answered']),
        healAfterMs: fc.integer({ min: 1, max: 3000 }),
      }),
    faults: [...copies, 'crash', 'pause', 'lost-reply'],
    goals: () => ['a-process-crashed-before-its-effect', 'a-process-crashed-between-effect-and-acknowledgement'],
    shows: 'at-most-once',
  },
  {
    id: 'stalled',
    title: 'stands still',
    about: 'The primary is paused for seconds, and then continues as before.',
    notOn: () => null,
    always: lasting('slow-redis', 2500, 9000),
    faults: copies,
    goals: ({ failsOver }) => [
      'redis-stood-still-while-a-delivery-was-open',
      ...(failsOver ? ['a-server-was-promoted'] : []),
    ],
    shows: 'at-most-once',
    redis: impatient,
  },
  {
    id: 'killed-and-back',
    title: 'killed and back',
    about: 'The primary is killed and returns with the data on its disk, before the failure is detected.',
    notOn: () => null,
    always: lasting('redis-restart', 1, 900),
    faults: copies,
    goals: ({ forgets }) => [
      'a-copy-came-after-redis-was-back',
      ...(forgets ? ['an-acknowledged-write-was-lost-by-a-restart'] : []),
    ],
    shows: afterLoss,
    redis: { downAfterMs: fc.integer({ min: 3000, max: 5000 }) },
  },
  {
    id: 'replica-restarted',
    title: 'replica restarted',
    about: 'A replica dies and comes back. If the deployment has failover, the primary then dies too, for longer.',
    notOn: ({ hasReplicas }) => (hasReplicas ? null : 'no replica'),
    always: (scope, { failsOver }) => {
      const replica = lasting('machine-restart', 1, 1000, { who: 'replica' })
      return failsOver ? thenReplaced(replica)(scope) : replica(scope)
    },
    faults: copies,
    goals: ({ failsOver, syncsAnew }) => [
      'a-machine-died-while-a-delivery-was-open',
      ...(failsOver ? ['a-server-was-promoted'] : []),
      ...(failsOver && syncsAnew ? ['a-replica-that-synced-anew-was-promoted'] : []),
    ],
    shows: afterLoss,
    redis: impatient,
  },
  {
    id: 'killed-and-replaced',
    title: 'killed and replaced',
    about: 'The primary is killed while it cannot reach its replicas, and one of them is promoted.',
    notOn: needsFailover,
    always: thenReplaced(lasting('machine-cut-off', 2500, 5000, { who: 'primary', from: 'servers' })),
    faults: copies,
    goals: () => ['a-server-was-promoted', 'an-acknowledged-write-was-lost-by-failover'],
    shows: afterLoss,
    redis: impatient,
  },
  {
    id: 'cut-off',
    title: 'split brain',
    about:
      'The primary is cut off from the other machines and continues to serve while a replica is promoted. In a Cluster it serves only until it detects that the others are gone.',
    notOn: needsFailover,
    always: splitBrain,
    faults: [...copies, 'crash'],
    workload: { spanMs: 7000, keys: 6, messages: 8 },
    // In a Cluster, a primary that is separated from the majority stops serving before another one
    // is elected.
    goals: ({ shape }) => [
      'a-server-was-promoted',
      shape === 'cluster' ? 'an-acknowledged-write-was-lost-by-failover' : 'two-primaries-served-at-once',
    ],
    shows: afterLoss,
    redis: { downAfterMs: fc.integer({ min: 400, max: 1000 }) },
  },
  {
    id: 'all-data-lost',
    title: 'all data lost',
    about: 'All data is gone, on disks and replicas too, as after FLUSHALL.',
    notOn: () => null,
    always: drawFault('redis-flushed'),
    faults: copies,
    goals: () => ['a-copy-came-after-its-record-was-lost'],
    shows: afterLoss,
  },
]

/** The fault `first` early, and later the death of the primary for longer than Sentinels wait. */
function thenReplaced(first: (scope: Scope) => fc.Arbitrary<PlannedFault>) {
  return (scope: Scope): fc.Arbitrary<PlannedFault[]> =>
    fc
      .record({
        early: first(scope),
        earlyMs: fc.nat({ max: 800 }),
        kill: lasting('redis-restart', 6000, 12_000)(scope),
        afterMs: fc.integer({ min: 50, max: 2500 }),
      })
      .map(({ early, earlyMs, kill, afterMs }) => [
        { ...early, when: { at: 'time', ms: earlyMs } },
        kill.when.at === 'time' ? { ...kill, when: { at: 'time', ms: earlyMs + afterMs } } : kill,
      ])
}

/**
 * The primary is cut off. A consumer that reconnects finds the new primary, while other consumers
 * still use the old one. Copies arrive late. A layer recognizes a message as old only if the
 * message is older than the layer's first contact with the new primary.
 */
function splitBrain(scope: Scope): fc.Arbitrary<PlannedFault[]> {
  return fc
    .record({
      cut: lasting('machine-cut-off', 4000, 12_000, { who: 'primary', from: 'machines' })(scope),
      resetMs: fc.integer({ min: 1000, max: 4000 }),
      consumer: fc.nat({ max: scope.consumers - 1 }),
      copyMs: fc.integer({ min: 2500, max: 7000 }),
      message: fc.nat({ max: 7 }),
    })
    .map(({ cut, resetMs, consumer, copyMs, message }) => [
      cut,
      { kind: 'connection-reset', when: { at: 'time', ms: resetMs }, consumer },
      { kind: 'duplicate-delivery', when: { at: 'time', ms: copyMs }, message },
    ])
}
