import fc from 'fast-check'
import {
  type Plan,
  type PlannedFault,
  type PlannedMessage,
  type PostgresPlan,
  type RedisPlan,
  type ResultStyle,
  resultStyles,
} from '../../contract/api/plan.ts'
import type { Scope } from '../../run/faults/fault.ts'
import { faults } from '../../run/faults/index.ts'
import { oneIn, picked } from '../../run/seldom.ts'
import { type KeyStyle, keyOf, keyStyles } from './keys.ts'
import { type Pace, pacedBy, paces, slowerBy } from './pace.ts'
import { type PayloadStyle, payloadOf, payloadStyles } from './payloads.ts'
import { statedSkewMs } from './skew.ts'

/**
 * The settings of a scenario's plans. Each default is what most scenarios need.
 * @example
 * ```ts
 * import { fc, type Workload } from 'onceproof'
 *
 * const workload: Workload = {
 *   consumers: 2,
 *   keys: 1,
 *   faults: ['crash', 'pause'],
 *   effectMs: fc.constant(100),
 * }
 * ```
 */
export interface Workload {
  /**
   * Number of consumers; set it if faults aim at particular consumers. Default 1 to 4, and 3 in
   * most plans.
   */
  readonly consumers?: number
  /** True if consumers take one delivery at a time. Default: in one plan of four. */
  readonly serial?: fc.Arbitrary<boolean>
  /** Maximum number of messages of a plan. Default 5. */
  readonly messages?: number
  /** Number of idempotency keys to draw from. Fewer keys mean more competition. Default 3. */
  readonly keys?: number
  /** Kinds of faults that may be drawn, by their names in the catalogue. */
  readonly faults: readonly string[]
  /** Faults that every plan has: the subject of the scenario. */
  readonly always?: (scope: Scope) => fc.Arbitrary<PlannedFault | PlannedFault[]>
  /** Maximum number of faults of a plan, without those of `always`. Default 4. */
  readonly maxFaults?: number
  /** Messages are published within this time, in ms. Default 400. */
  readonly spanMs?: number
  /**
   * How long the sink works on one effect, in ms. Default 1 to 200, and in some plans half a lease
   * or more (`pace`).
   */
  readonly effectMs?: fc.Arbitrary<number>
  /** Timeout of callers of the sink, in ms. Default 500 to 3000. */
  readonly effectTimeoutMs?: fc.Arbitrary<number>
  /** Work around effects, and a sink that is slow for all callers. Default: in few plans. */
  readonly pace?: fc.Arbitrary<Pace>
  /**
   * How long a keyed sink remembers, in ms. Default: as long as layers may assume, which is the
   * retention plus twice the clock skew.
   */
  readonly sinkRemembersMs?: fc.Arbitrary<number>
  /**
   * The style of idempotency keys. Default: nearly half of the plans have keys unlike `order-1`.
   */
  readonly keyStyle?: fc.Arbitrary<KeyStyle>
  /** The style of payloads. Default: a third of the plans have payloads other than two numbers. */
  readonly payloadStyle?: fc.Arbitrary<PayloadStyle>
  /**
   * What the sink returns for an effect. Default: something other than its receipt in one plan of
   * four.
   */
  readonly results?: fc.Arbitrary<ResultStyle | undefined>
  /**
   * Offset of produced-at times from the time of their key, in ms, the same for all messages of a
   * key. Default 0.
   */
  readonly producedAtOffMs?: fc.Arbitrary<number>
  readonly stampOffMs?: fc.Arbitrary<number> // The former name of `producedAtOffMs`.
  readonly leaseMs?: fc.Arbitrary<number>
  readonly visibilityMs?: fc.Arbitrary<number>
  /** How long a layer must remember a key, in ms. Default a day. */
  readonly retentionMs?: fc.Arbitrary<number>
  /**
   * The producer may use one key for several payloads and, in one plan of three, with several
   * produced-at times.
   */
  readonly reusesKeys?: boolean
  /** Swarm testing: each plan first draws which kinds of faults it may contain. */
  readonly swarm?: boolean
  /** The Redis deployment. Default: one server without persistence. */
  readonly redis?: fc.Arbitrary<RedisPlan>
  /**
   * The PostgreSQL server, for layers that need one. Default: PostgreSQL's settings after
   * installation.
   */
  readonly postgres?: fc.Arbitrary<PostgresPlan>
  /** Deliveries of one message before the broker gives up on it. Default 50. */
  readonly maxAttempts?: number
}

/** Longer than most runs, so that nothing expires during a run. */
export const dayMs = 86_400_000

/**
 * Draws the plans of a workload. Messages, durations and faults of a plan shrink one by one.
 * @throws Error if the catalogue has no fault of a kind in `faults`
 * @example
 * ```ts
 * import { fc, plansOf } from 'onceproof'
 *
 * const plans = plansOf({ faults: ['crash', 'pause'], maxFaults: 2 })
 * console.log(fc.sample(plans, { numRuns: 1, seed: 1 })[0]?.messages)
 * ```
 */
export function plansOf(workload: Workload): fc.Arbitrary<Plan> {
  const { messages = 5, keys = 3, maxFaults = 4, spanMs = 400, reusesKeys = false } = workload
  const scope: Scope = { consumers: workload.consumers ?? mostConsumers, spanMs: spanMs * 2 }
  const any =
    workload.faults.length === 0
      ? fc.constant<PlannedFault[]>([])
      : fc.array(anyFault(workload.faults, scope), { maxLength: maxFaults, size: 'max' })
  const drawn = workload.swarm === true ? swarm(workload.faults, any) : any
  const planned =
    workload.always === undefined
      ? drawn
      : fc.tuple(workload.always(scope), drawn).map(([some, more]) => [some, more].flat())
  return fc
    .record({
      consumers: workload.consumers === undefined ? usualConsumers : fc.constant(workload.consumers),
      serial: workload.serial ?? picked(false, false, false, true),
      messages: fc.array(drawnMessage(keys, spanMs, workload), { minLength: 1, maxLength: messages, size: 'max' }),
      producedAgain: reusesKeys ? picked(false, false, true) : fc.constant(false),
      keyStyle: workload.keyStyle ?? keyStyles,
      payloadStyle: workload.payloadStyle ?? payloadStyles,
      results: workload.results ?? oneIn(4, picked(...resultStyles)),
      leaseMs: workload.leaseMs ?? fc.integer({ min: 500, max: 5000 }),
      retentionMs: workload.retentionMs ?? fc.constant(dayMs),
      sinkRemembersMs: workload.sinkRemembersMs ?? fc.constant(null),
      visibilityMs: workload.visibilityMs ?? fc.integer({ min: 1000, max: 30_000 }),
      redeliveryMs: fc.integer({ min: 20, max: 500 }),
      maxAttempts: fc.constant(workload.maxAttempts ?? 50),
      effectMs: workload.effectMs ?? fc.integer({ min: 1, max: 200 }),
      effectTimeoutMs: workload.effectTimeoutMs ?? fc.integer({ min: 500, max: 3000 }),
      pace: workload.pace ?? paces,
      faults: planned,
      ...(workload.redis === undefined ? {} : { redis: workload.redis }),
      ...(workload.postgres === undefined ? {} : { postgres: workload.postgres }),
    })
    .map((parts) => assembled(parts, workload))
}

/** The draws of `plansOf`, before they are combined to a plan. */
interface Parts extends Omit<Plan, 'serial' | 'messages' | 'sinkRemembersMs' | 'results'> {
  readonly serial: boolean
  readonly messages: readonly DrawnMessage[]
  readonly producedAgain: boolean
  readonly keyStyle: KeyStyle
  readonly payloadStyle: PayloadStyle
  readonly results: ResultStyle | undefined
  /** Null: for as long as layers may assume. */
  readonly sinkRemembersMs: number | null
  readonly pace: Pace
}

const mostConsumers = 4
const usualConsumers = picked(1, 2, 2, 3, 3, 3, 3, 3, 3, mostConsumers)

function assembled(parts: Parts, { effectMs }: Workload): Plan {
  const { serial, messages, producedAgain, keyStyle, payloadStyle, results, sinkRemembersMs, pace, ...plan } = parts
  // If the scenario sets `effectMs`, the pace does not make the sink slow.
  const kept = effectMs === undefined ? pace : { work: pace.work }
  const timings = pacedBy(kept, plan.leaseMs, plan)
  return {
    ...plan,
    ...timings,
    // Longer than the slowest handler takes, because the broker ignores late answers.
    visibilityMs: plan.visibilityMs + slowerBy(timings, plan),
    messages: messages.map((one) => plannedMessage(one, messages, parts)),
    sinkRemembersMs: sinkRemembersMs ?? plan.retentionMs + 2 * statedSkewMs,
    faults: plan.faults.map((fault) => onSlot(fault, plan.consumers)),
    ...(serial ? { serial } : {}),
    ...(results === undefined ? {} : { results }),
  }
}

/** Moves a fault of a consumer beyond the drawn number to an existing consumer. */
function onSlot(fault: PlannedFault, consumers: number): PlannedFault {
  const { when, consumer, machine } = fault
  const folded = (slot: unknown): slot is number => typeof slot === 'number' && slot >= consumers
  return {
    ...fault,
    ...(when.at !== 'time' && folded(when.consumer) ? { when: { ...when, consumer: when.consumer % consumers } } : {}),
    ...(folded(consumer) ? { consumer: consumer % consumers } : {}),
    ...(folded(machine) ? { machine: machine % consumers } : {}),
  }
}

function anyFault(kinds: readonly string[], scope: Scope): fc.Arbitrary<PlannedFault> {
  return fc.tuple(fc.oneof(...kinds.map((kind) => named(kind).draw(scope))), near).map(withNear)
}

/**
 * One fault of the catalogue, with the parameters that the catalogue draws.
 * @throws Error if the catalogue has no fault of that kind
 * @example
 * ```ts
 * import { drawFault, plansOf } from 'onceproof'
 *
 * const plans = plansOf({ faults: ['pause'], always: drawFault('crash') })
 * ```
 */
export function drawFault(kind: string): (scope: Scope) => fc.Arbitrary<PlannedFault> {
  return (scope) => fc.tuple(named(kind).draw(scope), near).map(withNear)
}

/**
 * Half of the durations are close to a limit that the layer sets, because `nil` is drawn once in
 * `freq` times.
 */
const near = fc.option(fc.record({ limit: fc.nat({ max: 11 }), byMs: fc.integer({ min: -3, max: 30 }) }), {
  nil: undefined,
  freq: 2,
})

function withNear([fault, limit]: [PlannedFault, { limit: number; byMs: number } | undefined]): PlannedFault {
  const lasts = fault.healAfterMs !== undefined || fault.extraMs !== undefined
  return limit === undefined || !lasts ? fault : { ...fault, near: limit }
}

/**
 * The fault with a fixed duration, regardless of the layer's limits. For scenarios about a duration
 * that Redis itself sets.
 */
export function lasting({ near: _, ...fault }: PlannedFault, healAfterMs: number): PlannedFault {
  return { ...fault, healAfterMs }
}

function named(kind: string) {
  const fault = faults.get(kind)
  if (fault === undefined) throw new Error(`unknown fault "${kind}"; known: ${[...faults.keys()].join(', ')}`)
  return fault
}

/**
 * Swarm testing (Groce and others, 2012): a run with few kinds of faults explores them more deeply
 * than a run with all kinds. Uses `map` instead of `chain`, so that both the kinds and the faults
 * shrink.
 */
function swarm(kinds: readonly string[], drawn: fc.Arbitrary<PlannedFault[]>): fc.Arbitrary<PlannedFault[]> {
  const allowed = fc.subarray([...kinds], { minLength: Math.ceil(kinds.length / 3) })
  return fc.tuple(allowed, drawn).map(([some, all]) => all.filter(({ kind }) => some.includes(kind)))
}

interface DrawnMessage {
  readonly order: number
  readonly publishAtMs: number
  readonly version: number
  readonly producedAtOffMs: number
  /** Offset of its produced-at time from the time of its key, if keys are produced again. */
  readonly producedAgainOffMs: number
}

function drawnMessage(
  keys: number,
  spanMs: number,
  { reusesKeys = false, stampOffMs, producedAtOffMs = stampOffMs }: Workload,
): fc.Arbitrary<DrawnMessage> {
  return fc.record({
    order: fc.integer({ min: 1, max: keys }),
    publishAtMs: fc.nat({ max: spanMs }),
    version: reusesKeys ? fc.nat({ max: 1 }) : fc.constant(0),
    producedAtOffMs: producedAtOffMs ?? fc.constant(0),
    producedAgainOffMs: picked(0, 0, -1, -400),
  })
}

/**
 * A producer that sends one key twice sends the same payload and produced-at time, unless it reuses
 * keys.
 */
function plannedMessage(
  { order, publishAtMs, version, producedAgainOffMs }: DrawnMessage,
  all: readonly DrawnMessage[],
  { keyStyle, payloadStyle, producedAgain }: Parts,
): PlannedMessage {
  const first = all.find((other) => other.order === order)!
  return {
    key: keyOf(keyStyle, order),
    payload: payloadOf(payloadStyle, order, version),
    publishAtMs,
    ...producedOff(first.producedAtOffMs + (producedAgain ? producedAgainOffMs : 0)),
  }
}

const producedOff = (offMs: number) => (offMs === 0 ? {} : { stampOffMs: offMs })
