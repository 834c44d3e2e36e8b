/**
 * Events of keys, for metrics, traces and logs. The layer behaves the same with or without
 * listeners.
 */
import { inspect } from 'node:util'
import { type Logger, logsTo } from './log-events.ts'
import type { ConflictReason, DoubtReason, RetryReason, RunOutcome } from './outcome.ts'

/** A holder of a key, identified by its fence. */
interface OfHolder {
  readonly key: string
  readonly fence: number
}

/**
 * One transition of a key, or the end of one run. Events have no payload or result. A `cause` is
 * the thrown value itself, and may quote the data of the effect.
 * @example
 * ```ts
 * import type { OnceEvent } from 'onceproof/once'
 *
 * const onEvent = (event: OnceEvent): void => {
 *   if (event.type === 'ended') console.log(event.key, event.status, `${event.tookMs} ms`)
 * }
 * ```
 */
export type OnceEvent =
  /** This run holds the key. */
  | (OfHolder & { readonly type: 'acquired' })
  /**
   * Data may have been lost; this run of this key was the first to notice. Messages from before are
   * in doubt.
   */
  | { readonly type: 'loss-noticed'; readonly key: string }
  /** A fenced sink was asked to refuse lower fences. `failed`: it did not answer. */
  | (OfHolder & { readonly type: 'raised'; readonly answer: 'applied' | 'clear' | 'refused' | 'failed' })
  /** The point of no return is on record: the effect is sent next. */
  | (OfHolder & { readonly type: 'begun' })
  /** A heartbeat extended the lease. */
  | (OfHolder & { readonly type: 'renewed' })
  /** The lease has ended or belongs to another holder. An effect that is under way continues. */
  | (OfHolder & { readonly type: 'lease-lost'; readonly cause: Error })
  /** The key is given back, for this reason. No effect was sent. */
  | (OfHolder & { readonly type: 'abandoned'; readonly reason: RetryReason })
  /** This run gave up after `maxAttempts` failed ones: the key is free, and no effect was sent. */
  | (OfHolder & { readonly type: 'given-up'; readonly attempts: number })
  /**
   * The effect happened. `onRecord`: true if the store has confirmed it; otherwise recording is
   * retried in the background.
   */
  | (OfHolder & { readonly type: 'completed'; readonly onRecord: boolean })
  /**
   * The sink refused for good. `onRecord`: true if the refusal is on record; otherwise the store
   * did not answer, or another attempt holds the key.
   */
  | (OfHolder & { readonly type: 'refused'; readonly onRecord: boolean })
  /**
   * `reconcile` was asked about an effect in doubt. `failed`: it threw. `fence`: the highest fence
   * of the attempts in doubt.
   */
  | (OfHolder & { readonly type: 'reconciled'; readonly answer: 'applied' | 'barred' | 'unknown' | 'failed' })
  /** The effect in doubt is barred for good: another attempt is permitted. */
  | (OfHolder & { readonly type: 'reopened' })
  /**
   * A run returned after `tookMs` milliseconds. `repeated`: with the answer of an earlier run.
   */
  | {
      readonly type: 'ended'
      readonly key: string
      readonly status: RunOutcome<unknown>['status']
      readonly reason?: RetryReason | DoubtReason | ConflictReason
      readonly repeated?: boolean
      readonly cause?: unknown
      /** The likely mistake behind a conflict. */
      readonly hint?: string
      readonly tookMs: number
    }

export type Notify = (event: OnceEvent) => void

/**
 * A receiver of events that also surrounds each run, as a span does. `openTelemetry` of
 * `onceproof/once/opentelemetry` makes one.
 * @example
 * ```ts
 * import { AsyncLocalStorage } from 'node:async_hooks'
 * import type { Telemetry } from 'onceproof/once'
 *
 * const keys = new AsyncLocalStorage<string>()
 * const telemetry: Telemetry = {
 *   traced: (key, run) => keys.run(key, run),
 *   onEvent: (event) => console.log(keys.getStore(), event.type),
 * }
 * ```
 */
export interface Telemetry {
  /** Calls `run` at once, exactly once, and returns its promise or an equal one. */
  traced<T>(key: string, run: () => Promise<T>): Promise<T>
  /** Called as the option `onEvent` is. */
  onEvent(event: OnceEvent): void
}

/** The options that receive events. */
export interface Receivers {
  readonly onEvent?: ((event: OnceEvent) => void) | undefined
  readonly logger?: Logger | undefined
  readonly telemetry?: Telemetry | undefined
}

/** What the layer needs of them. `heard`: false if no option receives events. */
export interface Reporting {
  readonly notify: Notify
  readonly heard: boolean
  readonly telemetry: Telemetry | undefined
}

export function reportingOf({ onEvent, logger, telemetry }: Receivers): Reporting {
  const receivers = [
    ...(onEvent === undefined ? [] : [contained('onEvent', onEvent)]),
    ...(logger === undefined ? [] : [contained('logger', logsTo(logger))]),
    ...(telemetry === undefined ? [] : [contained('telemetry', (event: OnceEvent) => telemetry.onEvent(event))]),
  ]
  const notify = (event: OnceEvent) => {
    for (const receive of receivers) receive(event)
  }
  return { notify, heard: receivers.length > 0, telemetry }
}

/**
 * If the listener throws, or its promise rejects, the process emits a warning the first time; later
 * failures are ignored.
 */
function contained(option: string, listener: Notify): Notify {
  let warned = false
  const failed = (error: unknown) => {
    if (warned) return
    warned = true
    process.emitWarning(`${option} failed, and events may be missing: fix the listener`, {
      type: 'OnceWarning',
      detail: inspect(error),
    })
  }
  return (event) => {
    try {
      const reported: unknown = listener(event)
      if (reported !== undefined) Promise.resolve(reported).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

/** Starts a run, and reports its end. A run that rejects is not reported. */
export function reported<Result>(
  { notify, heard, telemetry }: Reporting,
  key: string,
  run: () => Promise<RunOutcome<Result>>,
): Promise<RunOutcome<Result>> {
  if (!heard) return run()
  const observed = () => {
    const sinceMs = performance.now()
    const outcome = run()
    // The caller's promise does not depend on a listener.
    outcome.then((found) => notify(ended(key, found, sinceMs))).catch(() => {})
    return outcome
  }
  return telemetry === undefined ? observed() : telemetry.traced(key, observed)
}

/** The end of a run that began at `sinceMs` on the monotonic clock. */
function ended(key: string, outcome: RunOutcome<unknown>, sinceMs: number): OnceEvent {
  const { status } = outcome
  const tookMs = performance.now() - sinceMs
  if (status === 'done' || status === 'done-unkept' || status === 'refused')
    return { type: 'ended', key, status, repeated: outcome.repeated, tookMs }
  if (status === 'failed') return { type: 'ended', key, status, tookMs }
  if (status === 'conflict') {
    const { reason, hint } = outcome
    return { type: 'ended', key, status, reason, ...(hint === undefined ? {} : { hint }), tookMs }
  }
  const { reason, cause } = outcome
  return { type: 'ended', key, status, reason, ...(cause === undefined ? {} : { cause }), tookMs }
}
