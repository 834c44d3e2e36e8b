/**
 * Performs effects that are rows of the same database, in the transaction of their record, so that
 * both exist or neither. If the answer to COMMIT is lost, no effect is in doubt: a lookup waits for
 * that transaction and finds its outcome.
 */
import type { Settings } from '../options.ts'
import { type RunOutcome, retry } from '../outcome.ts'
import { pause } from '../pause.ts'
import { keptOf, stored } from '../record-done.ts'
import { type Claim, type Completed, claim, conflictOf } from '../records.ts'
import type { OnceMessage } from '../work.ts'
import { type FoundRecord, recordOf } from './look.ts'
import type { PgClient } from './pool.ts'
import { finalOf } from './records.ts'
import type { Session, Sessions } from './sessions.ts'
import { type Tables, tablesOf } from './sql.ts'
import { storable, storableKept } from './storable.ts'
import { complete, known, open, refuse, take } from './transaction-sql.ts'

/**
 * The argument of the effect.
 * @example
 * ```ts
 * import type { AttemptInTransaction, PgClient } from 'onceproof/once'
 *
 * const insert = ({ key, tx }: AttemptInTransaction<PgClient>) =>
 *   tx.query('INSERT INTO payments (key) VALUES ($1)', [key])
 * ```
 */
export interface AttemptInTransaction<Client> {
  readonly key: string
  /**
   * The client with the open transaction. Rows that it writes are the effect; COMMIT, ROLLBACK and
   * `release` are the layer's.
   */
  readonly tx: Client
}

/**
 * Writes the effect with `tx`. Once all its statements are answered, resolves with the effect's
 * result, which is kept as JSON. If it rejects, nothing remains. It may be called again for a later
 * copy, so only its rows happen once; its other actions may be repeated.
 * @example
 * ```ts
 * import type { EffectInTransaction, PgClient } from 'onceproof/once'
 *
 * const effect: EffectInTransaction<PgClient, number> = async ({ key, tx }) => {
 *   const { rows } = await tx.query('INSERT INTO payments (key) VALUES ($1) RETURNING id', [key])
 *   return Number(rows[0]?.id)
 * }
 * ```
 */
export type EffectInTransaction<Client, Result> = (attempt: AttemptInTransaction<Client>) => Promise<Result>

/**
 * The effect was abandoned: closing the connection rolls back its transaction and rejects later
 * queries.
 */
class RolledBack extends Error {
  readonly fence: number

  constructor(fence: number, cause: unknown) {
    super('the effect was rolled back', { cause })
    this.fence = fence
  }
}

/** The effect rejected. */
class EffectFailed extends RolledBack {}

/** Everything is written, and COMMIT is next. */
interface Written extends Completed {
  readonly key: string
  readonly fence: number
}

type Ended =
  | { readonly status: 'rolled-back' }
  | { readonly status: 'unknown' }
  | { readonly status: 'on-record'; readonly record: FoundRecord }

/** SQLSTATE: https://www.postgresql.org/docs/15/errcodes-appendix.html */
const lockNotAvailable = '55P03'
const inFailedTransaction = '25P02'

const wentOn =
  'the effect went on after one of its statements had failed, which fails its transaction: have it reject, or roll back to its own savepoint'

export class Transactions {
  readonly #sessions: Sessions
  readonly #settings: Settings
  readonly #at: Tables

  constructor(sessions: Sessions, settings: Settings) {
    this.#sessions = sessions
    this.#settings = settings
    this.#at = tablesOf(settings.namespace)
  }

  /** Throws `TypeError` for mistakes in the call, before anything is done. */
  async run<Result>(message: OnceMessage, effect: EffectInTransaction<PgClient, Result>): Promise<RunOutcome<Result>> {
    if (typeof effect !== 'function') throw new TypeError('run: the effect is missing: give a function')
    const claimed = claim(message, this.#settings)
    const { soonMs, unreachable, isRefusal, notify } = this.#settings
    let sent: Written | null = null
    try {
      return await this.#sessions.use(async (session) => {
        const performed = await this.#perform<Result>(session, claimed, effect)
        if (performed.status !== 'completed') return performed
        sent = performed
        await session.commit()
        return this.#done<Result>(performed)
      })
    } catch (error) {
      if (error instanceof RolledBack) {
        if (error instanceof EffectFailed && isRefusal(error.cause)) return this.#refused(claimed, error)
        notify({ type: 'abandoned', key: claimed.key, fence: error.fence, reason: 'rolled-back' })
        return retry('rolled-back', soonMs, error.cause)
      }
      if (sent === null) return retry(unreachable, soonMs, error)
      const ended = await this.#settle(claimed)
      if (ended.status === 'unknown') return retry('effect-unanswered', soonMs, error)
      if (ended.status === 'rolled-back') return retry('rolled-back', soonMs, error)
      return ended.record.owner === claimed.owner ? this.#done(sent) : answerOf(claimed, ended.record, soonMs)
    }
  }

  /**
   * Takes the key and has the effect written, up to COMMIT; otherwise returns an outcome, with no
   * transaction left open.
   */
  async #perform<Result>(
    session: Session,
    claimed: Claim,
    effect: EffectInTransaction<PgClient, Result>,
  ): Promise<Written | RunOutcome<Result>> {
    const { key, owner, fingerprint, producedAt } = claimed
    const { leaseMs, ttlMs, waitMs, retentionMs, maxClockSkewMs, soonMs, notify } = this.#settings
    await session.ask(open(leaseMs))
    const found = await session
      .ask(take(this.#at), [key, fingerprint, owner, ttlMs, waitMs, producedAt])
      .catch((error) => {
        if (isHeld(error)) return 'held' as const
        throw error
      })
    if (found === 'held') {
      await session.ask('ROLLBACK')
      return retry('held', soonMs)
    }
    const taken = found[0]
    if (taken === undefined) return answerOf(claimed, await read(session, this.#at, key), soonMs)

    const nowMs = Number(taken.now_ms)
    const [old, early] = [nowMs - producedAt >= retentionMs, producedAt > nowMs + maxClockSkewMs]
    if (old || early) {
      await session.ask('ROLLBACK')
      return { status: 'in-doubt', reason: old ? 'older-than-retention' : 'from-the-future' }
    }
    const fence = Number(taken.fence)
    notify({ type: 'acquired', key, fence })
    const stop = this.#keep(session.client, key, fence)
    const result = await resultOf(effect, { key, tx: session.client }, fence).finally(stop)
    const kept = storableKept(keptOf(result))
    const ended = await session
      .ask(complete(this.#at), [key, owner, ttlMs, kept.result, kept.unkept ?? null])
      .catch((error) => {
        throw new RolledBack(fence, isAborted(error) ? new TypeError(wentOn, { cause: error }) : error)
      })
    if (ended.length === 0)
      throw new RolledBack(
        fence,
        new TypeError("the effect ended its transaction: COMMIT and ROLLBACK are the layer's"),
      )
    return { status: 'completed', key, fence, ...kept }
  }

  /**
   * The server ends a transaction that is silent for a lease. With the heartbeat, an effect may
   * take longer, as long as this process lives.
   */
  #keep(client: PgClient, key: string, fence: number): () => void {
    const { leaseMs, notify } = this.#settings
    const heartbeat = setInterval(() => {
      const kept = client.query('SELECT').then(() => notify({ type: 'renewed', key, fence }))
      kept.catch(() => {}) // the effect gets the error too, or a statement of it had failed
    }, leaseMs / 3)
    return () => clearInterval(heartbeat)
  }

  #done<Result>({ key, fence, ...completed }: Written): RunOutcome<Result> {
    this.#settings.notify({ type: 'completed', key, fence, onRecord: true })
    return stored(completed, false)
  }

  /**
   * A COMMIT was sent and not answered. Its session may still commit: taking the key waits for it.
   * If the key can be taken, that session has not committed and never will.
   */
  async #settle({ key, fingerprint, owner, producedAt }: Claim): Promise<Ended> {
    const { ttlMs, waitMs, callTimeoutMs } = this.#settings
    const until = performance.now() + callTimeoutMs
    for (let backoffMs = 50; ; backoffMs *= 2) {
      try {
        return await this.#sessions.use(async (session): Promise<Ended> => {
          await session.ask('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE')
          const [taken] = await session.ask(take(this.#at), [key, fingerprint, `${owner}?`, ttlMs, waitMs, producedAt])
          if (taken === undefined) {
            const record = await read(session, this.#at, key)
            return record === null ? { status: 'unknown' } : { status: 'on-record', record }
          }
          await session.ask('ROLLBACK')
          return { status: 'rolled-back' }
        })
      } catch {
        if (performance.now() + backoffMs >= until) return { status: 'unknown' }
        await pause(backoffMs)
      }
    }
  }

  /**
   * The effect's transaction was rolled back. Records the refusal, unless another attempt has the
   * key by now.
   */
  async #refused<Result>(claimed: Claim, { cause, fence }: EffectFailed): Promise<RunOutcome<Result>> {
    const { key, fingerprint, owner, producedAt } = claimed
    const { ttlMs, soonMs, unreachable, notify } = this.#settings
    const error = storable(cause instanceof Error ? cause.message : String(cause))
    const answer = await this.#sessions.call(refuse(this.#at), [key, fingerprint, owner, ttlMs, error, producedAt])
    if (!answer.answered) return retry(unreachable, soonMs, answer.error)
    if (answer.rows.length > 0) {
      notify({ type: 'refused', key, fence, onRecord: true })
      return { status: 'refused', error, repeated: false }
    }
    try {
      const record = await this.#sessions.use(async (session) => {
        await session.ask('BEGIN')
        return read(session, this.#at, key)
      })
      if (record?.owner === owner) return { status: 'refused', error, repeated: false }
      return answerOf(claimed, record, soonMs)
    } catch (silent) {
      return retry(unreachable, soonMs, silent)
    }
  }
}

/** Also catches errors that `effect` throws synchronously. */
async function resultOf<Result>(
  effect: EffectInTransaction<PgClient, Result>,
  given: AttemptInTransaction<PgClient>,
  fence: number,
): Promise<Result> {
  try {
    return await effect(given)
  } catch (cause) {
    throw new EffectFailed(fence, cause)
  }
}

/** Reads the record and ends the transaction. */
async function read(session: Session, at: Tables, key: string): Promise<FoundRecord | null> {
  const [row] = await session.ask(known(at), [key])
  await session.commit()
  return row === undefined ? null : recordOf(row)
}

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code
const isHeld = (error: unknown) => codeOf(error) === lockNotAvailable
const isAborted = (error: unknown) => codeOf(error) === inFailedTransaction

/** The outcome for a message, given a committed record. */
function answerOf<Result>(claimed: Claim, record: FoundRecord | null, soonMs: number): RunOutcome<Result> {
  if (record === null) return retry('held', soonMs) // deleted between two statements
  if (record.fingerprint !== claimed.fingerprint) return conflictOf(claimed, record)
  const final = finalOf(record)
  if (final?.status === 'completed') return stored(final, true)
  if (final?.status === 'refused') return { status: 'refused', error: final.error, repeated: true }
  // The record was committed without a result, by an effect that ended the transaction itself or by
  // a layer of another kind.
  return { status: 'in-doubt', reason: 'attempt-vanished' }
}
