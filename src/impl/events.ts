/**
 * What happens to keys, as it happens: for metrics, traces and logs. Nothing that the layer does
 * depends on who listens.
 */
import { inspect } from 'node:util'
import type { DoubtReason, RetryReason, RunOutcome } from './outcome.ts'

/** A holder of a key, by the fence that it was given. */
interface OfHolder {
  readonly key: string
  readonly fence: number
}

/**
 * One transition of a key, or the end of one run. No event has a payload or a result. A `cause` is
 * what was thrown, as it was, and may quote what the effect was about.
 */
export type OnceEvent =
  /** This run holds the key. */
  | (OfHolder & { readonly type: 'acquired' })
  /**
   * Data may have been lost, as this run of this key was the first to see: messages from before are
   * in doubt.
   */
  | { readonly type: 'loss-noticed'; readonly key: string }
  /** A fenced sink was asked to refuse lower fences. `failed`: it did not answer. */
  | (OfHolder & { readonly type: 'raised'; readonly answer: 'applied' | 'clear' | 'refused' | 'failed' })
  /** The point of no return is on record: the effect is sent next. */
  | (OfHolder & { readonly type: 'begun' })
  /** A heartbeat extended the lease. */
  | (OfHolder & { readonly type: 'renewed' })
  /** The lease has ended or belongs to another. An effect that is under way goes on. */
  | (OfHolder & { readonly type: 'lease-lost'; readonly cause: Error })
  /** The key is given back, for this reason. No effect was sent. */
  | (OfHolder & { readonly type: 'abandoned'; readonly reason: RetryReason })
  /** `maxAttempts` failed before this run: the key is given back, and no effect was sent. */
  | (OfHolder & { readonly type: 'given-up'; readonly attempts: number })
  /**
   * The effect happened. `onRecord`: Redis has said so; otherwise it goes on being told in the
   * background.
   */
  | (OfHolder & { readonly type: 'completed'; readonly onRecord: boolean })
  /**
   * The sink refused for good. `onRecord`: as it is on record; otherwise Redis did not answer, or
   * somebody else has the key.
   */
  | (OfHolder & { readonly type: 'refused'; readonly onRecord: boolean })
  /**
   * `reconcile` was asked about an effect in doubt. `failed`: it threw. No attempt in doubt had a
   * higher fence.
   */
  | (OfHolder & { readonly type: 'reconciled'; readonly answer: 'applied' | 'barred' | 'unknown' | 'failed' })
  /** What was in doubt is barred for good: another attempt is permitted. */
  | (OfHolder & { readonly type: 'reopened' })
  /**
   * A run was answered, after so many milliseconds. `repeated`: with the answer of an earlier one.
   */
  | {
      readonly type: 'ended'
      readonly key: string
      readonly status: RunOutcome<unknown>['status']
      readonly reason?: RetryReason | DoubtReason
      readonly repeated?: boolean
      readonly cause?: unknown
      readonly tookMs: number
    }

export type Notify = (event: OnceEvent) => void

/**
 * A listener that throws, or whose promise rejects, is told of once by a warning of the process,
 * and otherwise ignored.
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
  if (status === 'done' || status === 'refused')
    return { type: 'ended', key, status, repeated: outcome.repeated, tookMs }
  if (status === 'conflict' || status === 'failed') return { type: 'ended', key, status, tookMs }
  const { reason, cause } = outcome
  return { type: 'ended', key, status, reason, ...(cause === undefined ? {} : { cause }), tookMs }
}
