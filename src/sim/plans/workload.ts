import fc from 'fast-check'
import type { Plan, PlannedFault, PlannedMessage, RedisPlan } from '../../contract/plan.ts'
import type { Scope } from '../../run/faults/fault.ts'
import { faults } from '../../run/faults/index.ts'

/** What a scenario says about its plans; what it leaves out has the value that most scenarios want. */
export interface Workload {
  /** Consumer processes; fixed, so that faults can be aimed at them. Default 3. */
  readonly consumers?: number
  /** Most messages of a plan. Default 5. */
  readonly messages?: number
  /** Distinct idempotency keys to draw from; fewer keys, more competition. Default 3. */
  readonly keys?: number
  /** Kinds of faults that may be drawn, by their names in the catalogue. */
  readonly faults: readonly string[]
  /** Faults that every plan has: what the scenario is about. */
  readonly always?: (scope: Scope) => fc.Arbitrary<PlannedFault | PlannedFault[]>
  /** Most faults of a plan, besides those it always has. Default 4. */
  readonly maxFaults?: number
  /** Messages are published within this stretch. Default 400. */
  readonly spanMs?: number
  /** How long the sink works on one effect. Default 1 to 200. */
  readonly effectMs?: fc.Arbitrary<number>
  readonly leaseMs?: fc.Arbitrary<number>
  readonly visibilityMs?: fc.Arbitrary<number>
  /** How long a layer must remember a key. Default a day. */
  readonly retentionMs?: fc.Arbitrary<number>
  /** The producer may use one key for several payloads. */
  readonly reusesKeys?: boolean
  /** Swarm: each plan first draws which kinds of faults may occur in it at all. */
  readonly swarm?: boolean
  /** The Redis deployment. Default: one server that keeps nothing. */
  readonly redis?: fc.Arbitrary<RedisPlan>
  /** Deliveries of one message before the broker gives up on it. Default 50. */
  readonly maxAttempts?: number
}

/** Longer than most runs, so that nothing is forgotten while they last. */
export const dayMs = 86_400_000

/** The plans of a workload. Structured, so that messages, durations and faults shrink one by one. */
export function plansOf(workload: Workload): fc.Arbitrary<Plan> {
  const { consumers = 3, messages = 5, keys = 3, maxFaults = 4, spanMs = 400 } = workload
  const scope: Scope = { consumers, spanMs: spanMs * 2 }
  const any =
    workload.faults.length === 0
      ? fc.constant<PlannedFault[]>([])
      : fc.array(anyFault(workload.faults, scope), { maxLength: maxFaults, size: 'max' })
  const drawn = workload.swarm === true ? swarm(workload.faults, any) : any
  const planned =
    workload.always === undefined
      ? drawn
      : fc.tuple(workload.always(scope), drawn).map(([some, more]) => [some, more].flat())
  return fc.record({
    consumers: fc.constant(consumers),
    messages: fc.array(message(keys, spanMs, workload.reusesKeys ?? false), {
      minLength: 1,
      maxLength: messages,
      size: 'max',
    }),
    leaseMs: workload.leaseMs ?? fc.integer({ min: 500, max: 5000 }),
    retentionMs: workload.retentionMs ?? fc.constant(dayMs),
    visibilityMs: workload.visibilityMs ?? fc.integer({ min: 1000, max: 30_000 }),
    redeliveryMs: fc.integer({ min: 20, max: 500 }),
    maxAttempts: fc.constant(workload.maxAttempts ?? 50),
    effectMs: workload.effectMs ?? fc.integer({ min: 1, max: 200 }),
    effectTimeoutMs: fc.integer({ min: 500, max: 3000 }),
    faults: planned,
    ...(workload.redis === undefined ? {} : { redis: workload.redis }),
  })
}

function anyFault(kinds: readonly string[], scope: Scope): fc.Arbitrary<PlannedFault> {
  return fc.tuple(fc.oneof(...kinds.map((kind) => named(kind).draw(scope))), near).map(withNear)
}

/** One fault of the catalogue, drawn as it draws itself. */
export function drawFault(kind: string): (scope: Scope) => fc.Arbitrary<PlannedFault> {
  return (scope) => fc.tuple(named(kind).draw(scope), near).map(withNear)
}

/** Half of the durations are about as long as a limit that the layer sets itself: nil comes once in `freq` times. */
const near = fc.option(fc.record({ limit: fc.nat({ max: 11 }), byMs: fc.integer({ min: -3, max: 30 }) }), {
  nil: undefined,
  freq: 2,
})

function withNear([fault, limit]: [PlannedFault, { limit: number; byMs: number } | undefined]): PlannedFault {
  const lasts = fault.healAfterMs !== undefined || fault.extraMs !== undefined
  return limit === undefined || !lasts ? fault : { ...fault, near: limit }
}

/** The fault, for so long, whatever limits the layer has: where a scenario is about a duration of Redis's own. */
export function lasting({ near: _, ...fault }: PlannedFault, healAfterMs: number): PlannedFault {
  return { ...fault, healAfterMs }
}

function named(kind: string) {
  const fault = faults.get(kind)
  if (fault === undefined) throw new Error(`there is no fault "${kind}"; there are ${[...faults.keys()].join(', ')}`)
  return fault
}

/**
 * Swarm testing (Groce and others, 2012): a run with few kinds of faults goes deeper into them than one with all kinds.
 * Mapped rather than chained, so that both the kinds and the faults shrink.
 */
function swarm(kinds: readonly string[], drawn: fc.Arbitrary<PlannedFault[]>): fc.Arbitrary<PlannedFault[]> {
  const allowed = fc.subarray([...kinds], { minLength: Math.ceil(kinds.length / 3) })
  return fc.tuple(allowed, drawn).map(([some, all]) => all.filter(({ kind }) => some.includes(kind)))
}

/** A producer that sends one key twice sends the same payload, unless it is one that reuses keys. */
function message(keys: number, spanMs: number, reuses: boolean): fc.Arbitrary<PlannedMessage> {
  return fc
    .record({
      order: fc.integer({ min: 1, max: keys }),
      publishAtMs: fc.nat({ max: spanMs }),
      version: reuses ? fc.nat({ max: 1 }) : fc.constant(0),
    })
    .map(({ order, publishAtMs, version }) => ({
      key: `order-${order}`,
      payload: { order, amountCents: 100 * order + version },
      publishAtMs,
    }))
}
