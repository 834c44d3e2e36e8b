/** The plans that an exploration plays: few deliveries of one key, and faults at chosen steps. */
import type { Implementation } from '../../contract/api/implementation.ts'
import type { Boundary, Plan, PlannedFault, RedisPlan } from '../../contract/api/plan.ts'
import { type StoreKind, usualStores } from '../../contract/api/store.ts'
import { dynamodbClock, postgresClock } from '../../run/faults/machine.ts'
import { dayMs } from '../../sim/plans/workload.ts'
import type { PassedBoundaries, Placed, Shape } from '../play/explore-tasks.ts'

export interface Bounds {
  /** Messages with the same key and payload. */
  readonly deliveries: number
  /** The most faults of a run. */
  readonly faults: number
  readonly kinds: readonly string[]
}

/** The messages are published when the consumers have started and are connected. */
const publishAtMs = 50

/** The shapes that the layer can be played in. */
export const shapesFor = ({ serial }: Pick<Implementation, 'serial'>): readonly Shape[] =>
  serial === true ? ['apart'] : ['apart', 'together']

/**
 * The plan without faults. A refused message is redelivered once within a lease and once after it:
 * more redeliveries multiply the orders, and end in the same states.
 */
export function explorePlan(
  deliveries: number,
  shape: Shape,
  { minLeaseMs = 0, stores = usualStores }: Pick<Implementation, 'minLeaseMs' | 'stores'>,
  sentinels = false,
): Plan {
  // Clients wait longer for a reply, so that an attempt can be paused for longer than its lease.
  const leaseMs = Math.max(200, minLeaseMs)
  return {
    consumers: shape === 'apart' ? deliveries : 1,
    messages: Array.from({ length: deliveries }, () => ({ key: 'order-1', payload: { cents: 100 }, publishAtMs })),
    ...{ leaseMs, retentionMs: dayMs, visibilityMs: 3 * leaseMs },
    // Times are whole microseconds.
    ...{ redeliveryMs: Math.round(0.6 * leaseMs), maxAttempts: 50, effectMs: 1, effectTimeoutMs: 500 },
    ...(shape === 'apart' ? { serial: true } : {}),
    ...(stores.includes('postgres') ? { postgres: healthyPostgres } : {}),
    ...(sentinels ? { redis: watchedRedis } : {}),
    faults: [],
  }
}

const healthyPostgres = { synchronousCommit: true, maxConnections: 100, recoveryMs: 0 }

/** A primary that is replaced soon after it dies, by its only replica. */
const watchedRedis: RedisPlan = {
  ...{ replicas: 1, sentinels: 3, downAfterMs: 500, failoverTimeoutMs: 1000, keeps: 'aof-always' },
  ...{ minReplicasToWrite: 0, fullSyncMs: 0, loadingMs: 0 },
}
/** How long the primary is away: its replica replaces it before. In milliseconds. */
const deadMs = 5000
/** The primary loses its replica and the Sentinels, but not its clients. */
const fromServers = { who: 'primary', which: 0, from: 'servers', withReplica: false }

/** A fault without its trigger, and the boundaries at which it makes a difference. */
interface Template {
  readonly boundaries: readonly Boundary[]
  readonly fault: Omit<PlannedFault, 'kind' | 'when'>
  /** The fault heals at a time that the exploration chooses. */
  readonly healsLater?: true
  /** The fault strikes the connections to the layer's store. */
  readonly ofStore?: true
  /** The fault strikes the clock of the consumer, or of the layer's store. */
  readonly ofClock?: 'consumer' | 'store'
  /** What the process has heard and not yet acted on makes no difference. */
  readonly seenByOthers?: true
}

/**
 * The boundaries of an attempt after which the other processes and the stores are in another state.
 * A crash or pause between two of them is the same as at the first one.
 */
export const visible: readonly Boundary[] = ['delivery-received', 'command-executed', 'effect-applied', 'answered']

const unsent: readonly Boundary[] = ['command-unsent', 'effect-unsent']
/** A clock that is wrong by more than any lease. */
const hourMs = 3_600_000
const clocks: Readonly<Record<StoreKind, number>> = { redis: -1, postgres: postgresClock, dynamodb: dynamodbClock }

const templates: Readonly<Record<string, readonly Template[]>> = {
  crash: [{ boundaries: visible, fault: { healAfterMs: 100 }, seenByOthers: true }],
  pause: [{ boundaries: visible, fault: {}, healsLater: true }],
  'lost-reply': [{ boundaries: ['command-executed'], fault: {} }],
  'lost-request': [{ boundaries: ['command-unexecuted'], fault: {} }],
  'connection-reset': [{ boundaries: ['effect-unsent', 'effect-applied'], fault: {}, ofStore: true }],
  'effect-fails-before': [
    { boundaries: ['effect-unapplied'], fault: { how: 'fail' } },
    { boundaries: ['effect-unapplied'], fault: { how: 'drop' } },
    { boundaries: ['effect-unapplied'], fault: { how: 'refuse' } },
  ],
  'effect-fails-after': [
    { boundaries: ['effect-applied'], fault: { how: 'fail' } },
    { boundaries: ['effect-applied'], fault: { how: 'drop' } },
  ],
  'lost-acknowledgement': [{ boundaries: ['answered'], fault: {} }],
  redelivery: [{ boundaries: visible, fault: { message: 0 }, seenByOthers: true }],
  'redis-restart': [{ boundaries: visible, fault: { machine: 0, healAfterMs: deadMs } }],
  'machine-cut-off': [{ boundaries: visible, fault: { ...fromServers, healAfterMs: deadMs } }],
  'redis-flushed': [{ boundaries: visible, fault: { machine: 0 } }],
  'scripts-flushed': [{ boundaries: visible, fault: {} }],
  'half-open': [{ boundaries: [...visible, ...unsent], fault: {}, ofStore: true }],
  'clock-step': [-hourMs, hourMs].flatMap((byMs): Template[] => [
    { boundaries: visible, fault: { byMs, healAfterMs: deadMs }, ofClock: 'consumer' },
    { boundaries: visible, fault: { byMs, healAfterMs: deadMs }, ofClock: 'store' },
  ]),
  'late-copy': [
    { boundaries: ['answered'], fault: { message: 0, healAfterMs: dayMs - hourMs } },
    { boundaries: ['answered'], fault: { message: 0, healAfterMs: dayMs + hourMs } },
  ],
}

/** The kinds of faults that an exploration can place. */
export const explorableKinds: readonly string[] = Object.keys(templates)
/** The primary dies, or only clients reach it any more. With Sentinels, its replica replaces it. */
export const failoverKinds: readonly string[] = ['redis-restart', 'machine-cut-off']
/** Played only on request, because they are rarer, and no layer withstands the loss of all data. */
const rarerKinds = ['redis-flushed', 'scripts-flushed', 'half-open', 'clock-step', 'late-copy']
export const usualKinds = explorableKinds.filter((kind) => !rarerKinds.includes(kind) && !failoverKinds.includes(kind))
export const sentinelKinds = [...usualKinds, ...failoverKinds]

export const countName = (slot: number, boundary: Boundary): string => `${slot} ${boundary}`

/** All faults of these kinds, each at each step of a consumer that some order has. */
export function* placements(
  kinds: readonly string[],
  passed: PassedBoundaries,
  { slots, store }: { readonly slots: readonly number[]; readonly store: StoreKind },
): Iterable<Placed> {
  for (const kind of kinds)
    for (const { boundaries, fault: rest, healsLater, ofStore, ofClock, seenByOthers } of templates[kind]!)
      for (const at of boundaries)
        for (const consumer of slots) {
          const machine = ofClock === 'consumer' ? consumer : clocks[store]
          const fault = { ...rest, ...(ofStore ? { node: store } : {}), ...(ofClock ? { machine } : {}) }
          for (const [before, isSeen] of (passed.get(countName(consumer, at)) ?? []).entries()) {
            const when = { at, consumer, nth: before + 1 }
            if (isSeen || !seenByOthers) yield { fault: { kind, when, ...fault }, healsLater: healsLater === true }
          }
        }
}
