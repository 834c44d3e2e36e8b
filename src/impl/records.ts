/**
 * The transitions of a record as typed calls: arguments of the scripts, meaning of their replies.
 */
import { canonicalJson } from './canonical-json.ts'
import type { CallResult, Connection, Reply } from './connection.ts'
import {
  type BucketKeys,
  bucketKeysOf,
  fingerprintOf,
  formerFingerprintOf,
  freshToken,
  generationName,
} from './identity.ts'
import { type Begin, begunBy, begunByNone, metaJson } from './in-doubt.ts'
import type { Settings } from './options.ts'
import type { DoubtReason, RunOutcome } from './outcome.ts'
import { type Begun, begunOrLost, Replication } from './replication.ts'
import { scripts } from './scripts.ts'
import { needMessage, type OnceMessage } from './work.ts'

/** One attempt at one message, before it holds the key. */
export interface Claim extends OnceMessage, BucketKeys {
  readonly payloadJson: string
  readonly fingerprint: string
  /**
   * The fingerprint in records of the previous version; empty if not accepted.
   */
  readonly formerly: string
  /**
   * Fresh for every attempt: a broker may deliver the same message twice to one consumer at the
   * same time.
   */
  readonly owner: string
}

/** A claim that was granted. */
export interface Hold extends Claim {
  readonly fence: number
  /** The generation of the data in which it was granted. */
  readonly of: string
  /** The latest possible start of the granted lease, on this process's monotonic clock. */
  readonly sinceMs: number
}

export type Silence = { readonly status: 'unreachable'; readonly error: Error }
export interface Completed extends Kept {
  readonly status: 'completed'
}
export type Refused = { readonly status: 'refused'; readonly error: string }
export type Lost = { readonly status: 'lost' }
export type Counted = { readonly status: 'counted' | 'spent'; readonly attempts: number }

/** The part of an effect's result that a record keeps. */
export interface Kept {
  /** The result as JSON. */
  readonly result: string
  /** Why the result is null instead of the effect's value. */
  readonly unkept?: string | undefined
}

/**
 * The part of a claim that is needed to settle a doubt about it. `producedAt`: null if unknown.
 */
export type Settling = Pick<Claim, 'key' | 'record' | 'generation' | 'fingerprint' | 'formerly'> & {
  readonly producedAt: number | null
}

/** The part of a begin that a settlement needs. */
export type Reopened = Pick<Begin, 'fence' | 'nonce' | 'of' | 'reportedUs'>

/** How to abandon an attempt: the highest fence of the sink, and whether the attempt counts. */
export interface Abandoning {
  readonly highest?: number | undefined
  readonly counts: boolean
}

/**
 * How to permit another attempt: with a fence above `highest`, and perhaps with the count of
 * attempts reset.
 */
export interface Reopening {
  readonly highest?: number | undefined
  readonly resetAttempts: boolean
}

export type Conflict = Extract<RunOutcome<never>, { status: 'conflict' }>

export type Acquired =
  | { readonly status: 'acquired'; readonly hold: Hold }
  | { readonly status: 'held'; readonly leftMs: number }
  | { readonly status: 'in-doubt'; readonly reason: DoubtReason; readonly begin: Begin }
  | Conflict
  | { readonly status: 'evicts'; readonly policy: string }
  /** No safe integer is above the fence on record, or the store's clock is later than all. */
  | { readonly status: 'fences-exhausted' }
  | Completed
  | Refused
  | Silence

const loneSurrogate = /\p{Surrogate}/u

/** Throws `TypeError` for a key that a store would not reproduce. */
export function keysOf(key: string, { buckets, prefix, needKey }: Settings): BucketKeys & { readonly key: string } {
  if (typeof key !== 'string' || key === '') throw new TypeError('a message needs a key: a non-empty string')
  if (loneSurrogate.test(key))
    throw new TypeError(
      `the key ${JSON.stringify(key)} is not well-formed Unicode and would share a record with others: ` +
        'remove its lone surrogates (do not cut a text inside a character), or encode it, for example in hex',
    )
  needKey(key)
  return { key, ...bucketKeysOf(key, buckets, prefix) }
}

/**
 * Throws `TypeError` for a message without a key or a produced-at time, and for a key or a payload
 * that Redis would not reproduce.
 */
export function claim(message: OnceMessage, settings: Settings): Claim {
  needMessage(message)
  const { key, payload, producedAt, meta } = message
  const keys = keysOf(key, settings)
  if (!Number.isSafeInteger(producedAt) || producedAt < 0)
    throw new TypeError('a message needs producedAt: integer milliseconds since the Unix epoch')
  if (producedAt >= 1e9 && producedAt < 1e11)
    throw new TypeError(`producedAt: ${producedAt} is in seconds: give milliseconds, 1000 times as many`)
  metaJson(meta)
  const payloadJson = canonicalJson('payload', payload, 'identical')
  const fingerprint = fingerprintOf(key, payloadJson, producedAt)
  const formerly = formerFingerprintOf(key, payloadJson, producedAt)
  const about = { payload, payloadJson, producedAt, ...(meta === undefined ? {} : { meta }) }
  return { ...about, ...keys, fingerprint, formerly, owner: freshToken() }
}

/**
 * Why the message and the record differ. The record has one digest of key, payload and produced-at
 * time: with the record's own time, only another payload changes it.
 */
export function conflictOf(
  { key, payloadJson, producedAt, fingerprint }: Claim,
  recorded: { readonly fingerprint: string; readonly producedAt: number | null },
): Conflict {
  const { producedAt: then, fingerprint: digest } = recorded
  const given = { producedAt, digest: then === null ? fingerprint : fingerprintOf(key, payloadJson, then) }
  const values = { recorded: { producedAt: then, digest }, given }
  if (then === null) return { status: 'conflict', reason: 'unknown', ...values }
  if (given.digest === digest) return { status: 'conflict', reason: 'producedAt', ...values, hint: timeHint }
  return { status: 'conflict', reason: then === producedAt ? 'payload' : 'payload-and-producedAt', ...values }
}

const timeHint = 'take producedAt from the message: Date.now() in a consumer differs with each delivery'

export class Records {
  readonly #connection: Connection
  readonly #replication: Replication
  readonly #settings: Settings
  readonly #ttlMs: number

  constructor(connection: Connection, settings: Settings) {
    this.#connection = connection
    this.#replication = new Replication(connection, settings)
    this.#settings = settings
    this.#ttlMs = settings.ttlMs
  }

  async acquire(claim: Claim): Promise<Acquired> {
    const { record, generation, owner, fingerprint, formerly, producedAt } = claim
    const { leaseMs, retentionMs, maxClockSkewMs, sink } = this.#settings
    const about = [fingerprint, sink.kind, producedAt, retentionMs, maxClockSkewMs, formerly]
    const args = [owner, leaseMs, this.#ttlMs, ...about]
    const result = await this.#connection.call(scripts.acquire, [record, generation], args)
    if (!result.answered) return { status: 'unreachable', error: result.error }
    const [status, first, ...more] = result.reply
    switch (status) {
      case 'acquired': {
        const [of, started] = more
        if (started === 1) this.lost(claim)
        const fence = Number(first)
        this.#settings.notify({ type: 'acquired', key: claim.key, fence })
        return { status, hold: { ...claim, fence, of: String(of), sinceMs: result.sentAtMs } }
      }
      case 'in-doubt': {
        const [fence, nonce, of, started, reportedUs, ...onRecord] = more
        if (started === 1) this.lost(claim)
        const begin = { fence: Number(fence), nonce: String(nonce), of: String(of) }
        const reason = first as DoubtReason
        if (reason !== 'attempt-vanished') {
          const absent = { fingerprint, by: begunByNone, reportedUs: Number(reportedUs) }
          return { status, reason, begin: { ...begin, ...absent } }
        }
        const [print, began, begins, process, meta] = onRecord.map(String) as [string, string, string, string, string]
        const by = begunBy(begin.fence, began, begins, process, meta)
        return { status, reason, begin: { ...begin, fingerprint: print, by } }
      }
      case 'held':
        return { status, leftMs: Number(first) }
      case 'evicts':
        return { status, policy: String(first) }
      case 'fences-exhausted':
        return { status }
      case 'conflict': {
        const [produced] = more
        return conflictOf(claim, { fingerprint: String(first), producedAt: produced === '' ? null : Number(produced) })
      }
      default:
        return final(result)
    }
  }

  /** Called if data may have been lost, as seen in the bucket of this key. */
  lost({ key, generation }: Pick<Claim, 'key' | 'generation'>): void {
    this.#settings.notify({ type: 'loss-noticed', key })
    void this.#notice(generation)
  }

  /**
   * Starts a generation in the other buckets, because messages that are produced before that would
   * be in doubt.
   */
  async #notice(known: string): Promise<void> {
    const { buckets, prefix } = this.#settings
    for (let bucket = 0; bucket < buckets; bucket++) {
      const generation = generationName(bucket, buckets, prefix)
      if (generation !== known) await this.#connection.once(scripts.notice, [generation], [freshToken()])
    }
  }

  /**
   * The point of no return: only an answer permits the effect. A single server is asked again with
   * the same nonce until it answers. With replicas, the primary is asked once, because its answer
   * is useless without theirs.
   */
  async begin(hold: Hold, nonce: string, meta: string): Promise<Begun> {
    const { record, generation, owner, fence, producedAt } = hold
    const { leaseMs, retentionMs, sink, process } = this.#settings
    const args = [owner, fence, nonce, leaseMs, this.#ttlMs, sink.kind, producedAt, retentionMs, process, meta]
    if (this.#replication.matters) return this.#replication.begin(scripts.begin, [record, generation], args)
    const result = await this.#connection.call(scripts.begin, [record, generation], args)
    if (!result.answered) return { status: 'unreachable', error: result.error }
    return begunOrLost(result.reply)
  }

  /**
   * Gives the key back. Only for an attempt that sent no effect and never will. The next holder's
   * fence will be above `highest`. `counts`: false takes back the count of the attempt, in the same
   * step.
   */
  async abandon({ record, owner, fence }: Hold, nonce: string, { highest = 0, counts }: Abandoning): Promise<void> {
    const args = [owner, fence, nonce, this.#ttlMs, highest, ...(counts ? [] : ['uncounted'])]
    await this.#connection.persist(scripts.abandon, [record], args)
  }

  /** Counts this attempt before work that may end its process. */
  async count({ record, owner, fence }: Hold): Promise<Counted | Lost | Silence> {
    const result = await this.#connection.call(scripts.count, [record], [owner, fence, this.#settings.maxAttempts])
    if (!result.answered) return { status: 'unreachable', error: result.error }
    const [status, attempts] = result.reply
    return status === 'lost' ? { status } : { status: status as Counted['status'], attempts: Number(attempts) }
  }

  /** Resets the count of attempts. */
  async resetAttempts({ record }: Pick<Claim, 'key' | 'record'>): Promise<{ status: 'reset' } | Silence> {
    const result = await this.#connection.call(scripts.reset, [record], [])
    return result.answered ? { status: 'reset' } : { status: 'unreachable', error: result.error }
  }

  async renew({ record, owner, fence }: Hold): Promise<{ status: 'renewed'; sinceMs: number } | Lost | Silence> {
    const { leaseMs } = this.#settings
    const result = await this.#connection.once(scripts.renew, [record], [owner, fence, leaseMs, this.#ttlMs])
    if (!result.answered) return { status: 'unreachable', error: result.error }
    return result.reply[0] === 'renewed' ? { status: 'renewed', sinceMs: result.sentAtMs } : { status: 'lost' }
  }

  /** Records a completed effect; returns the recorded result, which is the first one. */
  async complete(
    { record, fingerprint, producedAt }: Settling,
    fence: number,
    kept: Kept,
  ): Promise<Completed | Silence> {
    const args = [fence, kept.result, fingerprint, this.#ttlMs, producedAt ?? '']
    if (kept.unkept !== undefined) args.push(kept.unkept)
    const call = await this.#connection.persist(scripts.complete, [record], args)
    return call.answered ? completed(call.reply) : { status: 'unreachable', error: call.error }
  }

  async refuse({ record, owner, fence }: Hold, error: string): Promise<Completed | Refused | Lost | Silence> {
    const result = await this.#connection.persist(scripts.refuse, [record], [owner, fence, error, this.#ttlMs])
    if (!result.answered) return { status: 'unreachable', error: result.error }
    return result.reply[0] === 'lost' ? { status: 'lost' } : final(result)
  }

  close(): void {
    this.#replication.close()
    this.#connection.close()
  }

  /**
   * Permits another attempt, unless the key was used or data may have been lost since the doubt was
   * reported. Without a recorded begin and `reportedUs`, the doubt counts as too old.
   */
  async reopen(
    claim: Settling,
    { fence, nonce, of, reportedUs = 0 }: Reopened,
    { highest = 0, resetAttempts }: Reopening,
  ): Promise<{ status: 'reopened' } | Lost | Silence> {
    const { record, generation, fingerprint, formerly, producedAt } = claim
    const { retentionMs } = this.#settings
    const args = [
      fence,
      nonce,
      this.#ttlMs,
      of,
      fingerprint,
      retentionMs,
      formerly,
      highest,
      reportedUs,
      producedAt ?? '',
      ...(resetAttempts ? ['reset-attempts'] : []),
    ]
    const result = await this.#connection.call(scripts.reopen, [record, generation], args)
    if (!result.answered) return { status: 'unreachable', error: result.error }
    return { status: result.reply[0] === 'reopened' ? 'reopened' : 'lost' }
  }
}

export function final({ reply }: Extract<CallResult, { answered: true }>): Completed | Refused {
  const [status, text] = reply
  if (status === 'completed') return completed(reply)
  if (status === 'refused') return { status, error: String(text) }
  throw new Error(`a script answered "${status}", which this version does not know`)
}

function completed([, result, unkept]: Reply): Completed {
  return { status: 'completed', result: String(result), unkept: unkept === undefined ? undefined : String(unkept) }
}
