/** What is known of a key, for a person or a program that looks. */
import type { Layer } from './layer.ts'
import { stored } from './record-done.ts'
import { type Begin, keysOf } from './records.ts'

/**
 * An effect in doubt that has a record, as `settle` wants it. It is JSON, and may be kept and sent.
 */
export interface KeyInDoubt extends Begin {
  readonly key: string
  /** Of the message that it was begun for. */
  readonly fingerprint: string
}

export type KeyStatus =
  /** The effect happened. `unkept`: why its result is null here. */
  | { readonly status: 'done'; readonly result: unknown; readonly unkept?: string }
  /** The sink refused for good. */
  | { readonly status: 'refused'; readonly error: string }
  /** An attempt holds the key for at least so long. `begun`: past the point of no return. */
  | { readonly status: 'held'; readonly leftMs: number; readonly fence: number; readonly begun: boolean }
  /**
   * An attempt passed the point of no return, and its lease has ended. It may still be under way: a
   * lease stops nobody.
   */
  | { readonly status: 'in-doubt'; readonly doubt: KeyInDoubt }
  /** Nobody holds the key, and the next run may perform, unless its message is too old. */
  | { readonly status: 'open' }
  /** Nobody holds the key, and `maxAttempts` have failed: `resetAttempts` permits more. */
  | { readonly status: 'failed'; readonly attempts: number }
  /**
   * No record that proves anything. Of messages that were produced before `since` (and the clock
   * skew), in milliseconds since the Unix epoch, it may have been lost; null where data may have
   * been lost just now. A `plain` sink's message from before is in doubt, and only a run, which has
   * the message, can settle that.
   */
  | { readonly status: 'unknown'; readonly since: number | null }
  | { readonly status: 'unreachable'; readonly error: Error }

/** Throws `TypeError` for a key that no message can have. */
export async function statusOf(layer: Layer, key: string): Promise<KeyStatus> {
  const found = await layer.lookup.record(keysOf(key, layer.settings))
  switch (found.status) {
    case 'completed': {
      const { result, unkept } = stored(found, true)
      return { status: 'done', result, ...(unkept === undefined ? {} : { unkept }) }
    }
    case 'in-doubt':
      return { status: 'in-doubt', doubt: { key, ...found.begin, fingerprint: found.fingerprint } }
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
