/**
 * Metrics and spans of a layer, through the API of OpenTelemetry. Metric names contain their unit,
 * so that they are the same with and without an exporter that appends units.
 *
 * | metric | kind | attributes |
 * |---|---|---|
 * | `once.runs` | counter | `status`, `reason` |
 * | `once.runs.active` | up-down counter | |
 * | `once.run.duration.seconds` | histogram | `status`, `repeated` |
 * | `once.transitions` | counter | `type`, `answer`, `reason`, `on_record` |
 * | `once.doubts` | gauge, with `observeDoubts` | |
 * | `once.doubts.oldest.age.seconds` | gauge, with `observeDoubts` | |
 * | `once.doubts.list.age.seconds` | gauge, with `observeDoubts` | |
 */
import {
  type Attributes,
  type BatchObservableResult,
  type Context,
  context,
  createContextKey,
  type Meter,
  metrics,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { asError } from './as-error.ts'
import type { OnceEvent, Telemetry } from './events.ts'
import type { KeyInDoubt } from './in-doubt.ts'
import type { ConflictReason, DoubtReason, RetryReason, RunOutcome } from './outcome.ts'

/**
 * Options of `openTelemetry`.
 * @example
 * ```ts
 * import type { OpenTelemetryOptions } from 'onceproof/once/opentelemetry'
 *
 * const options: OpenTelemetryOptions = { attributes: { queue: 'orders' } }
 * ```
 */
export interface OpenTelemetryOptions {
  /** Default: that of the global meter provider. */
  readonly meter?: Meter
  /** Default: that of the global tracer provider. */
  readonly tracer?: Tracer
  /** Added to each metric and span. Distinguishes several layers of one process. */
  readonly attributes?: Readonly<Attributes>
}

/**
 * Metrics and spans of one layer.
 * @example
 * ```ts
 * import { createOnce, type OnceOptions } from 'onceproof/once'
 * import type { OnceTelemetry } from 'onceproof/once/opentelemetry'
 *
 * function observed(options: OnceOptions, telemetry: OnceTelemetry) {
 *   const once = createOnce({ ...options, telemetry })
 *   telemetry.observeDoubts(once, { everyMs: 60_000 })
 *   return once
 * }
 * ```
 */
export interface OnceTelemetry extends Telemetry {
  /**
   * Lists the doubts when metrics are collected, at most every `everyMs` milliseconds (default
   * 60,000), and reports their number, the age of the oldest, and the age of the list. A list scans
   * every key on Redis, so let one process do it. If a list fails, its age grows.
   */
  observeDoubts(
    once: { doubts(): AsyncIterable<KeyInDoubt> },
    options?: { readonly everyMs?: number },
  ): { stop(): void }
}

const scope = 'onceproof/once'

/**
 * Receives the events of one layer, as metrics and spans. No key is an attribute of a metric: it
 * would have a time series for each key. Spans have the key.
 * @example
 * ```ts no-run
 * import { createOnce } from 'onceproof/once'
 * import { openTelemetry } from 'onceproof/once/opentelemetry'
 *
 * const telemetry = openTelemetry()
 * const once = createOnce({
 *   redis: { host: 'localhost' },
 *   leaseMs: 10_000,
 *   retentionMs: 86_400_000,
 *   telemetry,
 * })
 * telemetry.observeDoubts(once)
 * ```
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): OnceTelemetry {
  const { meter = metrics.getMeter(scope), tracer = trace.getTracer(scope), attributes = {} } = options
  const runs = meter.createCounter('once.runs', { description: 'ended runs' })
  const active = meter.createUpDownCounter('once.runs.active', { description: 'runs in progress' })
  const durations = meter.createHistogram('once.run.duration.seconds', {
    description: 'how long a run took',
    unit: 's',
    advice: { explicitBucketBoundaries: [...bucketSeconds] },
  })
  const transitions = meter.createCounter('once.transitions', { description: 'transitions of keys' })
  // A series that begins above 0 has no increase in Prometheus, so the first doubt would be missed.
  for (const [status, reasons] of Object.entries(answers))
    for (const reason of reasons) runs.add(0, { ...attributes, status, ...reason })
  for (const rare of rareTransitions) transitions.add(0, { ...attributes, ...rare })

  return {
    traced(key, run) {
      active.add(1, attributes)
      return tracer.startActiveSpan('once.run', { attributes: { ...attributes, 'once.key': key } }, (span) => {
        const end = () => {
          active.add(-1, attributes)
          span.end()
        }
        const outcome = context.with(context.active().setValue(runSpan, span), run)
        // A run that rejects was called wrongly.
        outcome.then(end, (error: unknown) => {
          span.recordException(asError(error))
          span.setStatus({ code: SpanStatusCode.ERROR })
          end()
        })
        return outcome
      })
    },
    onEvent(event) {
      const about = { ...attributes, ...attributesOf(event) }
      const span = spanIn(context.active())
      if (event.type === 'ended') {
        const { status, reason, repeated } = event
        runs.add(1, { ...attributes, status, ...(reason === undefined ? {} : { reason }) })
        durations.record(event.tookMs / 1000, { ...attributes, status, repeated: repeated === true })
        span?.setAttributes(prefixed({ status, ...about }))
        if (needsPerson.has(status)) span?.setStatus({ code: SpanStatusCode.ERROR, message: reason ?? status })
        if (event.cause !== undefined) span?.recordException(asError(event.cause))
      } else {
        transitions.add(1, { ...about, type: event.type })
        span?.addEvent(`once.${event.type}`, prefixed('fence' in event ? { ...about, fence: event.fence } : about))
      }
    },
    observeDoubts(once, { everyMs = 60_000 } = {}) {
      const gauge = (name: string, description: string, unit: string) =>
        meter.createObservableGauge(`once.doubts${name}`, { description, unit })
      const count = gauge('', 'effects in doubt that have a record', '{doubt}')
      const oldest = gauge('.oldest.age.seconds', 'age of the oldest effect in doubt; 0 without one', 's')
      const listed = gauge('.list.age.seconds', 'time since the doubts were last listed', 's')
      const doubts = new DoubtList(once, everyMs)
      const observe = async (result: BatchObservableResult) => {
        await doubts.refresh()
        result.observe(listed, doubts.ageMs / 1000, attributes)
        if (doubts.beganMs === null) return
        result.observe(count, doubts.beganMs.length, attributes)
        const now = Date.now()
        result.observe(oldest, Math.max(0, ...doubts.beganMs.map((beganMs) => now - beganMs)) / 1000, attributes)
      }
      const gauges = [count, oldest, listed]
      meter.addBatchObservableCallback(observe, gauges)
      return { stop: () => meter.removeBatchObservableCallback(observe, gauges) }
    },
  }
}

/** From a millisecond to a minute: a copy takes one round trip, and an effect may be slow. */
const bucketSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const runSpan = createContextKey('once.run')
const spanIn = (at: Context): Span | undefined => at.getValue(runSpan) as Span | undefined

type Status = RunOutcome<unknown>['status']

/** The answers that no delivery repairs. */
const needsPerson: ReadonlySet<Status> = new Set(['in-doubt', 'failed', 'conflict'])

const retryReasons: { readonly [Reason in RetryReason]: true } = {
  ...{ held: true, 'redis-unreachable': true, 'postgres-unreachable': true, 'redis-evicts': true },
  ...{ 'not-replicated': true, 'replicas-uncounted': true, 'lease-lost': true, 'prepare-failed': true },
  ...{
    'fences-exhausted': true,
    'raise-failed': true,
    superseded: true,
    'effect-unanswered': true,
    'rolled-back': true,
    barred: true,
  },
}
const doubtReasons: { readonly [Reason in DoubtReason]: true } = {
  ...{ 'effect-unanswered': true, 'attempt-vanished': true, 'older-than-the-data': true },
  ...{ 'older-than-retention': true, 'from-the-future': true, 'reconcile-unknown': true, 'reconcile-failed': true },
}
const conflictReasons: { readonly [Reason in ConflictReason]: true } = {
  ...{ payload: true, producedAt: true, 'payload-and-producedAt': true, unknown: true },
}
const each = (reasons: object) => Object.keys(reasons).map((reason) => ({ reason }))

/** All attributes that `once.runs` can have. */
const answers: { readonly [Answer in Status]: readonly { readonly reason?: string }[] } = {
  ...{ done: [{}], 'done-unkept': [{}], refused: [{}], failed: [{}] },
  ...{ retry: each(retryReasons), 'in-doubt': each(doubtReasons), conflict: each(conflictReasons) },
}

/** The transitions that alerts count. */
const rareTransitions: readonly Attributes[] = [
  { type: 'loss-noticed' },
  { type: 'lease-lost' },
  { type: 'given-up' },
  { type: 'completed', on_record: false },
]

function attributesOf(event: OnceEvent): Attributes {
  return {
    ...('reason' in event && event.reason !== undefined ? { reason: event.reason } : {}),
    ...('answer' in event ? { answer: event.answer } : {}),
    ...('repeated' in event && event.repeated !== undefined ? { repeated: event.repeated } : {}),
    ...('onRecord' in event ? { on_record: event.onRecord } : {}),
  }
}

function prefixed(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`once.${name}`, value]))
}

/** The begin of a doubt; for a record of an older version the time in its fence. */
const beganMsOf = ({ begunAt, fence }: KeyInDoubt): number => begunAt ?? fence / 1000

/** The doubts of the last list that succeeded. */
class DoubtList {
  /** When each doubt began, in milliseconds since the Unix epoch; null before the first list. */
  beganMs: readonly number[] | null = null
  #listedAtMs = performance.now()
  #askedAtMs = Number.NEGATIVE_INFINITY
  #asked = Promise.resolve()
  readonly #once: { doubts(): AsyncIterable<KeyInDoubt> }
  readonly #everyMs: number

  constructor(once: { doubts(): AsyncIterable<KeyInDoubt> }, everyMs: number) {
    this.#once = once
    this.#everyMs = everyMs
  }

  get ageMs(): number {
    return performance.now() - this.#listedAtMs
  }

  /** Lists, unless the last list began less than `everyMs` ago. Never rejects. */
  refresh(): Promise<void> {
    const now = performance.now()
    if (now - this.#askedAtMs >= this.#everyMs) {
      this.#askedAtMs = now
      this.#asked = this.#list().catch(() => {}) // the age of the list shows it
    }
    return this.#asked
  }

  async #list(): Promise<void> {
    const atMs = performance.now()
    const beganMs: number[] = []
    for await (const doubt of this.#once.doubts()) beganMs.push(beganMsOf(doubt))
    this.beganMs = beganMs
    this.#listedAtMs = atMs
  }
}
