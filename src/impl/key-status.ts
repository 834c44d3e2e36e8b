/** The state of a key, for operators and programs. */
import { doubtOf, type KeyInDoubt } from './in-doubt.ts'
import type { Layer } from './layer.ts'
import { statusOfDone } from './record-done.ts'
import { keysOf } from './records.ts'

/**
 * What the store knows about a key. Times are in milliseconds.
 * @example
 * ```ts
 * import type { KeyStatus } from 'onceproof/once'
 *
 * const textOf = (key: KeyStatus): string =>
 *   key.status === 'held' ? `held for ${key.leftMs} ms` : key.status
 * ```
 */
export type KeyStatus =
  /** The effect happened. */
  | { readonly status: 'done'; readonly result: unknown }
  /** The effect happened. `unkept`: why its result is not on record. */
  | { readonly status: 'done-unkept'; readonly unkept: string }
  /** The sink refused for good. */
  | { readonly status: 'refused'; readonly error: string }
  /** An attempt's lease has `leftMs` left. `begun`: it has passed the point of no return. */
  | { readonly status: 'held'; readonly leftMs: number; readonly fence: number; readonly begun: boolean }
  /**
   * An attempt passed the point of no return, and its lease has ended. It may still be under way:
   * the end of a lease does not stop it.
   */
  | { readonly status: 'in-doubt'; readonly doubt: KeyInDoubt }
  /** The key is free, and the next run may perform, unless its message is too old. */
  | { readonly status: 'open' }
  /** The key is free, and `maxAttempts` attempts failed: `resetAttempts` permits more. */
  | { readonly status: 'failed'; readonly attempts: number }
  /**
   * There is no valid record. Records of messages produced before `since` plus the clock skew
   * may have been lost. `since` is in milliseconds since the Unix epoch, or null if data may have
   * been lost just now. On a `plain` sink such messages are in doubt, and only a run, which has the
   * message, can settle that.
   */
  | { readonly status: 'unknown'; readonly since: number | null }
  | { readonly status: 'unreachable'; readonly error: Error }

/** Throws `TypeError` for a key that no message can have. */
export async function statusOf(layer: Layer, key: string): Promise<KeyStatus> {
  const found = await layer.lookup.record(keysOf(key, layer.settings))
  switch (found.status) {
    case 'completed':
      return statusOfDone(found)
    case 'in-doubt':
      return { status: 'in-doubt', doubt: doubtOf(key, found.producedAt, found.begin) }
    case 'open': {
      const { attempts } = found
      return attempts >= layer.settings.maxAttempts ? { status: 'failed', attempts } : { status: 'open' }
    }
    case 'missing':
      return { status: 'unknown', since: found.since }
    default:
      return found
  }
}
