/** The records of keys in PostgreSQL: the arguments of each statement, and its decoded rows. */
import { freshToken } from '../identity.ts'
import type { RecordStore } from '../layer.ts'
import type { Settings } from '../options.ts'
import type {
  Abandoning,
  Acquired,
  Claim,
  Completed,
  Counted,
  Hold,
  Kept,
  Lost,
  Refused,
  Reopened,
  Reopening,
  Settling,
  Silence,
} from '../records.ts'
import type { Begun } from '../replication.ts'
import { decide } from './acquire.ts'
import { type FoundRecord, type Look, lookOf, lookSql } from './look.ts'
import type { Answer, Sessions } from './sessions.ts'
import { tablesOf } from './sql.ts'
import { storable, storableKept } from './storable.ts'
import { type Transitions, transitions } from './transitions.ts'

/** How often `acquire` tries if other attempts write between its look and its write. */
const mostTries = 5

export class PostgresRecords implements RecordStore {
  readonly #sessions: Sessions
  readonly #settings: Settings
  readonly #sql: Transitions
  readonly #look: string

  constructor(sessions: Sessions, settings: Settings, generations: boolean) {
    this.#sessions = sessions
    this.#settings = settings
    const at = tablesOf(settings.namespace)
    this.#sql = transitions(generations, at)
    this.#look = lookSql(generations, at)
  }

  async acquire(claim: Claim): Promise<Acquired> {
    for (let tries = 0; tries < mostTries; tries++) {
      const look = await this.look(claim.key)
      if (look.status === 'unreachable') return look
      const decision = decide(look, look.generation, claim, this.#settings)
      switch (decision.status) {
        case 'free': {
          const taken = await this.#take(claim, look, decision)
          if (!taken.answered) return silence(taken)
          if (taken.rows.length === 0) continue
          const { fence } = decision
          this.#settings.notify({ type: 'acquired', key: claim.key, fence })
          const hold: Hold = { ...claim, fence, of: look.generation.id, sinceMs: taken.sentAtMs }
          return { status: 'acquired', hold }
        }
        case 'held':
          if (decision.cut) await this.#cut(claim.key, look.record!)
          return decision
        default:
          return decision
      }
    }
    return { status: 'held', leftMs: 0 }
  }

  /** Reads the record, and makes sure that its generation is known: starts one if necessary. */
  async look(
    key: string,
  ): Promise<(Look & { status: 'looked'; generation: NonNullable<Look['generation']> }) | Silence> {
    for (;;) {
      const answer = await this.#sessions.call(this.#look, [key])
      if (!answer.answered) return silence(answer)
      const look = lookOf(answer.rows[0]!)
      const { generation } = look
      if (generation !== null) return { ...look, generation, status: 'looked' }
      const noticed = await this.#sessions.call(this.#sql.notice, [freshToken()])
      if (!noticed.answered) return silence(noticed)
      if (noticed.rows.length > 0) this.#settings.notify({ type: 'loss-noticed', key })
    }
  }

  #take(claim: Claim, look: Look, { fence, permit }: { fence: number; permit: boolean }): Promise<Answer> {
    const { key, fingerprint, owner, producedAt } = claim
    const { leaseMs, ttlMs } = this.#settings
    const taken = [key, fingerprint, owner, fence, leaseMs, ttlMs, look.generation!.id, freshToken(), producedAt]
    return look.record === null
      ? this.#sessions.call(this.#sql.take, taken)
      : this.#sessions.call(this.#sql.takeOver, [...taken, look.record.revision, permit])
  }

  async #cut(key: string, { revision }: FoundRecord): Promise<void> {
    await this.#sessions.once(this.#sql.cut, [key, revision, this.#settings.leaseMs, freshToken()])
  }

  async begin({ key, owner, fence, of, producedAt }: Hold, nonce: string, meta: string): Promise<Begun> {
    const { leaseMs, ttlMs, retentionMs, sink, process } = this.#settings
    const about = [of, producedAt, retentionMs, sink.kind === 'fenced', freshToken(), process, meta]
    const answer = await this.#sessions.call(this.#sql.begin, [key, owner, fence, nonce, leaseMs, ttlMs, ...about])
    if (!answer.answered) return silence(answer)
    const [begun] = answer.rows
    if (begun === undefined) return { status: 'lost' }
    return { status: 'begun', begunAt: Number(begun.begun_ms), attempt: Number(begun.begins) }
  }

  async abandon({ key, owner, fence }: Hold, nonce: string, { highest = 0, counts }: Abandoning): Promise<void> {
    const { ttlMs } = this.#settings
    const given = [key, owner, fence, nonce, ttlMs, highest, freshToken()]
    if (counts) await this.#sessions.persist(this.#sql.abandon, given)
    else await this.#sessions.persist(this.#sql.abandonUncounted, given)
  }

  async count({ key, owner, fence }: Hold): Promise<Counted | Lost | Silence> {
    const { maxAttempts } = this.#settings
    const answer = await this.#sessions.call(this.#sql.count, [key, owner, fence, maxAttempts, freshToken()])
    if (!answer.answered) return silence(answer)
    const [counted] = answer.rows
    if (counted !== undefined) return { status: 'counted', attempts: Number(counted.attempts) }
    const look = await this.look(key)
    if (look.status === 'unreachable') return look
    const { record } = look
    if (record?.state !== 'acquired' || record.owner !== owner || record.fence !== fence) return { status: 'lost' }
    return { status: record.counted === fence ? 'counted' : 'spent', attempts: record.attempts }
  }

  async resetAttempts({ key }: Pick<Claim, 'key'>): Promise<{ status: 'reset' } | Silence> {
    const answer = await this.#sessions.call(this.#sql.resetAttempts, [key, freshToken()])
    return answer.answered ? { status: 'reset' } : silence(answer)
  }

  async renew({ key, owner, fence }: Hold): Promise<{ status: 'renewed'; sinceMs: number } | Lost | Silence> {
    const { leaseMs, ttlMs } = this.#settings
    const answer = await this.#sessions.once(this.#sql.renew, [key, owner, fence, leaseMs, ttlMs, freshToken()])
    if (!answer.answered) return silence(answer)
    return answer.rows.length > 0 ? { status: 'renewed', sinceMs: answer.sentAtMs } : { status: 'lost' }
  }

  async complete({ key, fingerprint, producedAt }: Settling, fence: number, given: Kept): Promise<Completed | Silence> {
    const kept = storableKept(given)
    const values = [
      key,
      fence,
      fingerprint,
      kept.result,
      kept.unkept ?? null,
      this.#settings.ttlMs,
      freshToken(),
      producedAt,
    ]
    const answer = await this.#sessions.persist(this.#sql.complete, values)
    if (!answer.answered) return silence(answer)
    if (answer.rows.length > 0) return { status: 'completed', ...kept }
    const look = await this.look(key)
    if (look.status === 'unreachable') return look
    // The record was deleted after its time to live; the effect still happened.
    if (look.record?.state !== 'completed') return { status: 'completed', ...kept }
    return { status: 'completed', result: look.record.result, unkept: look.record.unkept }
  }

  async refuse({ key, owner, fence }: Hold, error: string): Promise<Completed | Refused | Lost | Silence> {
    const reported = storable(error)
    const values = [key, owner, fence, reported, this.#settings.ttlMs, freshToken()]
    const answer = await this.#sessions.persist(this.#sql.refuse, values)
    if (!answer.answered) return silence(answer)
    if (answer.rows.length > 0) return { status: 'refused', error: reported }
    const look = await this.look(key)
    if (look.status === 'unreachable') return look
    return finalOf(look.record) ?? { status: 'lost' }
  }

  async reopen(
    { key, fingerprint, producedAt }: Settling,
    { fence, nonce, of, reportedUs = 0 }: Reopened,
    { highest = 0, resetAttempts }: Reopening,
  ): Promise<{ status: 'reopened' } | Lost | Silence> {
    const { ttlMs, retentionMs } = this.#settings
    const answer =
      nonce === ''
        ? await this.#sessions.call(this.#sql.reopenAbsent, [
            key,
            fence,
            fingerprint,
            of,
            ttlMs,
            retentionMs,
            freshToken(),
            highest,
            reportedUs,
            producedAt,
          ])
        : await this.#sessions.call(this.#sql.reopenBegun, [
            ...[key, fence, nonce, fingerprint, of, ttlMs],
            ...[!resetAttempts, freshToken(), highest],
          ])
    if (!answer.answered) return silence(answer)
    return { status: answer.rows.length > 0 ? 'reopened' : 'lost' }
  }

  close(): void {
    this.#sessions.close()
  }
}

export function finalOf(record: FoundRecord | null): Completed | Refused | null {
  if (record?.state === 'completed') return { status: 'completed', result: record.result, unkept: record.unkept }
  return record?.state === 'refused' ? { status: 'refused', error: record.error } : null
}

export const silence = ({ error }: { readonly error: Error }): Silence => ({ status: 'unreachable', error })
