/**
 * At the first deployment, an operator vouches that no effect was performed yet, so that messages
 * produced before the first run are performed.
 */
import { Connection } from './connection.ts'
import { freshToken, generationName } from './identity.ts'
import { needKnown } from './known-options.ts'
import { defaults, needInteger, prefixOf } from './options.ts'
import type { RedisAt } from './redis-at.ts'
import { scripts } from './scripts.ts'

/**
 * Options of `adopt`.
 * @example
 * ```ts
 * import type { AdoptOptions } from 'onceproof/once'
 *
 * const options: AdoptOptions = { redis: { host: 'localhost' }, since: Date.UTC(2026, 0, 1) }
 * ```
 */
export interface AdoptOptions {
  /** As in `createOnce`. */
  readonly redis: RedisAt
  /** As in `createOnce`. */
  readonly buckets?: number
  /** As in `createOnce`. */
  readonly keyPrefix?: string
  /** As in `createOnce`. */
  readonly namespace?: string
  /**
   * In integer milliseconds since the Unix epoch. Asserts that no effect has been performed yet
   * for any message produced after `since` plus the clock skew. Pass 0 if no effect was ever
   * performed.
   */
  readonly since: number
}

/**
 * The outcome of `adopt`.
 * @example
 * ```ts
 * import { type Adopted } from 'onceproof/once'
 *
 * const isReady = ({ status }: Adopted): boolean => status === 'adopted'
 * ```
 */
export type Adopted =
  /** `kept`: the number of buckets that were already in use and were left unchanged. */
  | { readonly status: 'adopted'; readonly buckets: number; readonly kept: number }
  /** Some buckets may have been adopted; calling again is safe. */
  | { readonly status: 'unreachable'; readonly error: Error }
  /** `since` is later than Redis's clock. */
  | { readonly status: 'in-the-future' }

/**
 * To be called once, by an operator, before the first consumer starts; never when a consumer
 * starts. Buckets that are in use are left alone, so another call changes nothing while Redis keeps
 * its data. If all data was lost, `adopt` cannot detect the loss: every effect whose record was
 * lost would be performed again.
 *
 * Throws `RangeError` if `since` or `buckets` is not an integer, or is too small, and `TypeError`
 * for an unknown option and for an invalid prefix or namespace.
 * @example
 * ```ts no-run
 * import { adopt } from 'onceproof/once'
 *
 * const adopted = await adopt({ redis: { host: 'localhost' }, since: 0 })
 * if (adopted.status !== 'adopted') throw new Error(`not adopted: ${adopted.status}`)
 * ```
 */
export async function adopt(options: AdoptOptions): Promise<Adopted> {
  needKnown('adopt', options, ['redis', 'buckets', 'keyPrefix', 'namespace', 'since'])
  const { redis, since } = options
  const { buckets = defaults.buckets, keyPrefix = defaults.keyPrefix, namespace = defaults.namespace } = options
  const prefix = prefixOf(keyPrefix, namespace)
  needInteger('since', since, 0)
  needInteger('buckets', buckets, 1)
  const connection = new Connection(redis, { commandMs: 2000, callTimeoutMs: 30_000, ttlMs: 30_000 })
  let kept = 0
  try {
    for (let bucket = 0; bucket < buckets; bucket++) {
      const result = await connection.call(
        scripts.adopt,
        [generationName(bucket, buckets, prefix)],
        [since, freshToken()],
      )
      if (!result.answered) return { status: 'unreachable', error: result.error }
      if (result.reply[0] === 'future') return { status: 'in-the-future' }
      if (result.reply[0] === 'kept') kept++
    }
    return { status: 'adopted', buckets, kept }
  } finally {
    connection.close()
  }
}
