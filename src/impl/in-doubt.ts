/** An effect in doubt: the data that is on record about it, and the caller's. */
import { canonicalJson } from './canonical-json.ts'

/**
 * Data of the caller for the people who look at a doubt, such as the id of an order or of a request
 * to the provider. It is kept while the effect is begun, and not compared. At most 1,000 bytes of
 * JSON.
 * @example
 * ```ts
 * import type { Meta } from 'onceproof/once'
 *
 * const meta: Meta = { order: 17, request: 'req_8f2' }
 * ```
 */
export type Meta = { readonly [name: string]: string | number | boolean | null }

/**
 * What the begin of an effect says about itself. Each member is null if no begin is on record, or
 * one of an older version.
 * @example
 * ```ts
 * import type { BegunBy } from 'onceproof/once'
 *
 * const isOlderThan = ({ begunAt }: BegunBy, ms: number): boolean =>
 *   begunAt !== null && Date.now() - begunAt > ms
 * ```
 */
export interface BegunBy {
  /** When it was begun, by the store's clock, in integer milliseconds since the Unix epoch. */
  readonly begunAt: number | null
  /** The option `process` of the process that began it. */
  readonly process: string | null
  /** How many attempts at the key have begun, with this one. */
  readonly attempt: number | null
  readonly meta: Meta | null
}

/**
 * An effect in doubt, as `settle` needs it. It is JSON, and may be stored.
 * @example
 * ```ts
 * import type { KeyInDoubt, Once } from 'onceproof/once'
 *
 * const ageMs = ({ begunAt }: KeyInDoubt) => (begunAt === null ? null : Date.now() - begunAt)
 * const bar = (once: Once, doubt: KeyInDoubt) => once.settle(doubt, { status: 'barred' })
 * ```
 */
export interface KeyInDoubt extends BegunBy {
  readonly key: string
  /**
   * When the key was produced, in milliseconds since the Unix epoch; null if an older version
   * began it.
   */
  readonly producedAt: number | null
  /**
   * Of the attempt that began it, as in its events. Without a record, at least that of every
   * attempt that may have begun it.
   */
  readonly fence: number
  /** Identifies the doubt for `settle`. Pass it on unchanged. */
  readonly handle: {
    readonly nonce: string
    readonly of: string
    readonly fingerprint: string
    readonly reportedUs?: number
  }
}

/** The begin in doubt, as far as it is known. */
export interface Begin {
  readonly fence: number
  /** Empty if no begin is on record. */
  readonly nonce: string
  /** The generation of the data in which the doubt arose. */
  readonly of: string
  /** The fingerprint in the record or, without a record, of the message. */
  readonly fingerprint: string
  readonly by: BegunBy
  /**
   * When the doubt was reported, by the store's clock, in microseconds since the Unix epoch; only
   * if no begin is on record.
   */
  readonly reportedUs?: number
}

export const begunByNone: BegunBy = { begunAt: null, process: null, attempt: null, meta: null }

/**
 * As a record has it: empty texts if unknown. `began`: the fence of the begin, a space, and its
 * time. A begin of an older version leaves those of an earlier begin, with another fence.
 */
export function begunBy(fence: number, began: string, begins: string, process: string, meta: string): BegunBy {
  const [of, atMs] = began.split(' ')
  if (Number(of) !== fence || atMs === undefined) return begunByNone
  return { begunAt: Number(atMs), process, attempt: Number(begins), meta: meta === '' ? null : JSON.parse(meta) }
}

export function doubtOf(key: string, producedAt: number | null, begin: Begin): KeyInDoubt {
  const { fence, by, ...handle } = begin
  return { key, producedAt, ...by, fence, handle }
}

/** Throws `TypeError` for anything but a doubt that this version reported. */
export function needDoubt(doubt: KeyInDoubt): void {
  const { nonce, of, fingerprint } = doubt?.handle ?? {}
  const texts = [doubt?.key, nonce, of, fingerprint]
  if (Number.isSafeInteger(doubt?.fence) && texts.every((text) => typeof text === 'string')) return
  throw new TypeError('settle: not a doubt of this version: take it from status or doubts, unchanged')
}

const longestMetaBytes = 1000

/**
 * `meta` as JSON; empty without `meta`. Throws `TypeError` for data that is nested, not JSON, or
 * too long.
 */
export function metaJson(...parts: readonly (Meta | undefined)[]): string {
  const given = parts.filter((part) => part !== undefined)
  if (given.length === 0) return ''
  for (const part of given)
    if (typeof part !== 'object' || part === null || Array.isArray(part))
      throw new TypeError('meta is not an object: give one, such as { order: 17 }')
  const meta: Record<string, unknown> = Object.assign({}, ...given)
  for (const [name, value] of Object.entries(meta))
    if (typeof value === 'object' && value !== null)
      throw new TypeError(`meta.${name} is nested: give strings, numbers, booleans or null`)
  const json = canonicalJson('meta', meta, 'equal')
  const bytes = Buffer.byteLength(json)
  if (bytes > longestMetaBytes)
    throw new TypeError(`meta has ${bytes} bytes of JSON, and at most ${longestMetaBytes} are kept: shorten it`)
  return json === '{}' ? '' : json
}
