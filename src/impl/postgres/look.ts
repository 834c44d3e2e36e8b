/**
 * Reads a key's record, the generation of the data and the server's clock, all at one
 * moment.
 */
import { type BegunBy, begunBy } from '../in-doubt.ts'
import type { Row } from './pool.ts'
import { nowUs, type Tables, timeline } from './sql.ts'

export interface Look {
  readonly nowUs: number
  /** Null if the server's timeline is new: data may have been lost. */
  readonly generation: { readonly id: string; readonly bornMs: number } | null
  readonly record: FoundRecord | null
}

export interface FoundRecord {
  readonly state: 'free' | 'acquired' | 'begun' | 'completed' | 'refused'
  readonly fingerprint: string
  readonly owner: string
  readonly fence: number
  readonly nonce: string
  readonly deadlineMs: number
  readonly generation: string
  readonly permit: boolean
  readonly attempts: number
  readonly counted: number | null
  readonly result: string
  readonly unkept: string | undefined
  readonly error: string
  readonly revision: string
  /** Null in a record of an older version. */
  readonly producedAt: number | null
  readonly by: BegunBy
}

/**
 * Without `generations`, because no promotion loses commits, the one generation has an empty id.
 */
export function lookSql(generations: boolean, at: Tables): string {
  return `SELECT ${nowUs} AS now_us, ${generations ? 'g.id, g.born_ms' : "'' AS id, 0 AS born_ms"}, r.*
    FROM (SELECT ${generations ? timeline : "''"} AS timeline) AS here
    LEFT JOIN ${at.records} AS r ON r.key = $1
    ${generations ? `LEFT JOIN ${at.generations} AS g ON g.timeline = here.timeline` : ''}`
}

export function lookOf(row: Row): Look {
  const { now_us, id, born_ms, key } = row
  return {
    nowUs: Number(now_us),
    generation: id === null ? null : { id: String(id), bornMs: Number(born_ms) },
    record: key === null ? null : recordOf(row),
  }
}

export function recordOf(row: Row): FoundRecord {
  const { state, fingerprint, owner, nonce, generation, permit, counted, unkept, revision } = row
  const begun = row.begun_ms === null ? '' : `${row.begun_fence} ${row.begun_ms}`
  return {
    state: state as FoundRecord['state'],
    fingerprint: String(fingerprint),
    owner: String(owner),
    fence: Number(row.fence),
    nonce: String(nonce),
    deadlineMs: Number(row.deadline_ms),
    generation: String(generation),
    permit: permit === true,
    attempts: Number(row.attempts),
    counted: counted === null ? null : Number(counted),
    result: String(row.result),
    unkept: unkept === null ? undefined : String(unkept),
    error: String(row.error),
    revision: String(revision),
    producedAt: row.produced_ms === null ? null : Number(row.produced_ms),
    by: begunBy(Number(row.fence), begun, String(row.begins), String(row.process ?? ''), String(row.meta ?? '')),
  }
}
