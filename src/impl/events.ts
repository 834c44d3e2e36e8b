/**
 * Events of keys, for metrics, traces and logs. The layer behaves the same with or without
 * listeners.
 */
import { inspect } from 'node:util'
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
 * If the listener throws, or its promise rejects, the process emits a warning the first time; later
 * failures are ignored.
 */
export function notifierOf(listener: Notify | undefined): Notify {
  if (listener === undefined) return () => {}
  let warned = false
  const failed = (error: unknown) => {
    if (warned) return
    warned = true
    process.emitWarning('onEvent failed, and events may be missing: fix the listener', {
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

/** The end of a run that began at `sinceMs` on the monotonic clock. */
export function ended(key: string, outcome: RunOutcome<unknown>, sinceMs: number): OnceEvent {
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
