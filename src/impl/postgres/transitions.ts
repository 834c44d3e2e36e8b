/**
 * The transitions of a record, each a single statement and a transaction: it locks the row, judges
 * its newest version, and is durable once it is answered. They are those of `lua/*.lua`, with the
 * same guarantees. Each may be executed twice, or late.
 */
import { nowMs, nowUs, type Tables, timeline, withDurable } from './sql.ts'

/**
 * True if `$n` is a generation of the current timeline, with which its id begins. `$n` is '' if
 * there is only one generation.
 */
const isCurrent = (generations: boolean, n: string) => (generations ? `${timeline} = left(${n}, 8)` : `${n} = ''`)

/** True for exactly that generation: it may be deleted, and the next may have its timeline. */
const isThatOne = (generations: boolean, n: string, at: Tables) =>
  generations ? `EXISTS (SELECT FROM ${at.generations} WHERE timeline = ${timeline} AND id = ${n})` : `${n} = ''`

/** Never shortens a record's life: the clock may have gone back since it was written. */
const later = (ttl: string) => `greatest(expires_ms, ${nowMs} + ${ttl}::bigint)`

/** The attempt of $2 and $3 holds the key, and has not begun, or only with the nonce $4. */
const undone = "owner = $2 AND fence = $3::bigint AND (state = 'acquired' OR state = 'begun' AND nonce = $4)"

/** The effect has an outcome: what its begin said about itself is not needed any more. */
const noBegin = 'begun_fence = NULL, begun_ms = NULL, begins = 0, process = NULL, meta = NULL'

export function transitions(generations: boolean, at: Tables) {
  return {
    /** $1 the random part of the generation's id */
    notice: `${withDurable}
      INSERT INTO ${at.generations} (timeline, id, born_ms) SELECT ${timeline}, ${timeline} || ':' || $1, ${nowMs} FROM durable
      ON CONFLICT (timeline) DO NOTHING RETURNING id`,

    /**
     * $1 key, $2 fingerprint, $3 owner, $4 fence, $5 lease, $6 time to live, $7 generation, $8
     * revision, $9 producedAt
     */
    take: `${withDurable}
      INSERT INTO ${at.records} (key, state, fingerprint, owner, fence, deadline_ms, expires_ms, generation, revision,
        produced_ms)
      SELECT $1, 'acquired', $2, $3, $4::bigint, ${nowMs} + $5::bigint, ${nowMs} + $6::bigint, $7, $8, $9::bigint FROM durable
      WHERE ${isCurrent(generations, '$7')}
      ON CONFLICT (key) DO NOTHING RETURNING fence`,

    /** As `take`, and $10 revision that was seen, $11 permit */
    takeOver: `${withDurable}
      UPDATE ${at.records} SET state = 'acquired', fingerprint = $2, owner = $3, fence = $4::bigint, nonce = '',
        deadline_ms = ${nowMs} + $5::bigint, expires_ms = ${later('$6')}, generation = $7, revision = $8, produced_ms = $9::bigint,
        permit = $11
      FROM durable WHERE key = $1 AND ${at.records}.revision = $10 AND ${isCurrent(generations, '$7')} RETURNING fence`,

    /** $1 key, $2 revision that was seen, $3 lease, $4 revision */
    cut: `${withDurable}
      UPDATE ${at.records} SET deadline_ms = ${nowMs} + $3::bigint, revision = $4
      FROM durable WHERE key = $1 AND ${at.records}.revision = $2`,

    /**
     * The point of no return. $1 key, $2 owner, $3 fence, $4 nonce, $5 lease, $6 time to live, $7
     * generation, $8 producedAt, $9 retention, $10 true if the age of messages does not matter, $11
     * revision, $12 name of the process, $13 meta. `begun_fence`: a begin of an older version
     * leaves the columns of an earlier one, which are then void.
     */
    begin: `${withDurable}
      UPDATE ${at.records} SET state = 'begun', nonce = $4, deadline_ms = ${nowMs} + $5::bigint,
        expires_ms = ${later('$6')}, revision = $11, process = $12, meta = $13, begun_fence = fence,
        begun_ms = CASE WHEN state = 'acquired' THEN ${nowMs} ELSE begun_ms END,
        begins = CASE WHEN state = 'acquired' THEN begins + 1 ELSE begins END
      FROM durable WHERE key = $1 AND owner = $2 AND fence = $3::bigint
        AND (state = 'acquired' AND deadline_ms > ${nowMs} OR state = 'begun' AND nonce = $4)
        AND generation = $7 AND ${isCurrent(generations, '$7')}
        AND ($10::boolean OR permit OR ${nowMs} - $8::bigint < $9::bigint)
      RETURNING begun_ms, begins`,

    /** $1 key, $2 owner, $3 fence, $4 lease, $5 time to live, $6 revision */
    renew: `${withDurable}
      UPDATE ${at.records} SET deadline_ms = ${nowMs} + $4::bigint, expires_ms = ${later('$5')}, revision = $6
      FROM durable WHERE key = $1 AND owner = $2 AND fence = $3::bigint AND state IN ('acquired', 'begun')
        AND deadline_ms > ${nowMs} RETURNING fence`,

    /**
     * $1 key, $2 owner, $3 fence, $4 nonce of a begin to undo, $5 time to live, $6 highest fence of
     * the sink, $7 revision
     */
    abandon: `${withDurable}
      UPDATE ${at.records} SET state = 'free', owner = '', fence = greatest(fence, $6::bigint), nonce = '', deadline_ms = 0,
        expires_ms = ${later('$5')}, revision = $7
      FROM durable WHERE key = $1 AND ${undone}`,

    /**
     * As `abandon`, and takes back the attempt's count if no later attempt was counted, even if
     * another attempt holds the key by now.
     */
    abandonUncounted: `${withDurable}
      UPDATE ${at.records} SET
        state = CASE WHEN ${undone} THEN 'free' ELSE state END,
        owner = CASE WHEN ${undone} THEN '' ELSE owner END,
        fence = CASE WHEN ${undone} THEN greatest(fence, $6::bigint) ELSE fence END,
        nonce = CASE WHEN ${undone} THEN '' ELSE nonce END,
        deadline_ms = CASE WHEN ${undone} THEN 0 ELSE deadline_ms END,
        expires_ms = CASE WHEN ${undone} THEN ${later('$5')} ELSE expires_ms END,
        attempts = CASE WHEN counted = $3::bigint THEN attempts - 1 ELSE attempts END,
        counted = CASE WHEN counted = $3::bigint THEN NULL ELSE counted END,
        revision = $7
      FROM durable WHERE key = $1 AND (${undone} OR counted = $3::bigint)`,

    /** $1 key, $2 owner, $3 fence, $4 most attempts, $5 revision */
    count: `${withDurable}
      UPDATE ${at.records} SET attempts = attempts + 1, counted = fence, revision = $5
      FROM durable WHERE key = $1 AND owner = $2 AND fence = $3::bigint AND state = 'acquired'
        AND counted IS DISTINCT FROM fence AND attempts < $4::integer RETURNING attempts`,

    /** $1 key, $2 revision */
    resetAttempts: `${withDurable}
      UPDATE ${at.records} SET attempts = 0, counted = NULL, revision = $2 FROM durable WHERE key = $1`,

    /**
     * The caller need not hold the key. $1 key, $2 fence, $3 fingerprint, $4 result, $5 why it was
     * not kept, $6 time to live, $7 revision, $8 producedAt
     */
    complete: `${withDurable}
      INSERT INTO ${at.records} AS known (key, state, fingerprint, owner, fence, expires_ms, result, unkept, revision, produced_ms)
      SELECT $1, 'completed', $3, '', $2::bigint, ${nowMs} + $6::bigint, $4, $5, $7, $8::bigint FROM durable
      ON CONFLICT (key) DO UPDATE SET state = 'completed', fingerprint = excluded.fingerprint, owner = '',
        fence = greatest(known.fence, excluded.fence), nonce = '', deadline_ms = 0, expires_ms = greatest(known.expires_ms, excluded.expires_ms),
        result = excluded.result, unkept = excluded.unkept, error = NULL, revision = excluded.revision,
        produced_ms = excluded.produced_ms, ${noBegin}
      WHERE known.state <> 'completed' RETURNING result, unkept`,

    /** $1 key, $2 owner, $3 fence, $4 error, $5 time to live, $6 revision */
    refuse: `${withDurable}
      UPDATE ${at.records} SET state = 'refused', owner = '', nonce = '', deadline_ms = 0, error = $4,
        expires_ms = ${later('$5')}, revision = $6, ${noBegin}
      FROM durable WHERE key = $1 AND owner = $2 AND fence = $3::bigint AND state = 'begun' RETURNING error`,

    /**
     * $1 key, $2 fence, $3 nonce of the begin, $4 fingerprint, $5 generation, $6 time to live, $7
     * true to keep the count of attempts, $8 revision, $9 highest fence of the sink
     */
    reopenBegun: `${withDurable}
      UPDATE ${at.records} SET state = 'free', owner = '', nonce = '', deadline_ms = 0, permit = true, generation = $5,
        fence = greatest(fence, $9::bigint), attempts = CASE WHEN $7::boolean THEN attempts ELSE 0 END,
        counted = CASE WHEN $7::boolean THEN counted END,
        expires_ms = ${later('$6')}, revision = $8
      FROM durable WHERE key = $1 AND state = 'begun' AND fence = $2::bigint AND nonce = $3 AND fingerprint = $4
        AND ${isThatOne(generations, '$5', at)} RETURNING fence`,

    /**
     * For a doubt without a begin. $1 key, $2 fence, $3 fingerprint, $4 generation, $5 time to
     * live, $6 retention, $7 revision, $8 highest fence of the sink, $9 when it was reported,
     * in us, $10 producedAt
     */
    reopenAbsent: `${withDurable}
      INSERT INTO ${at.records} AS known (key, state, fingerprint, owner, fence, permit, generation, expires_ms, revision, produced_ms)
      SELECT $1, 'free', $3, '', greatest($2::bigint, $8::bigint), true, $4, ${nowMs} + $5::bigint, $7, $10::bigint FROM durable
      WHERE ${isThatOne(generations, '$4', at)} AND ${nowUs} - $9::bigint < $6::bigint * 1000
      ON CONFLICT (key) DO UPDATE SET state = 'free', owner = '', nonce = '', deadline_ms = 0, permit = true,
        fence = greatest(known.fence, excluded.fence), generation = excluded.generation,
        expires_ms = greatest(known.expires_ms, excluded.expires_ms), revision = excluded.revision
      WHERE known.fingerprint = excluded.fingerprint AND (known.state = 'free'
        OR known.state = 'acquired' AND (known.generation <> excluded.generation OR known.deadline_ms <= ${nowMs}))
      RETURNING fence`,

    /** The keys of begun records, in pages, after the key $1. */
    begun: `SELECT key FROM ${at.records} WHERE state = 'begun' AND key > $1 ORDER BY key LIMIT 500`,

    /** Expired records that are not being written. */
    prune: `DELETE FROM ${at.records} WHERE key IN (SELECT key FROM ${at.records} WHERE expires_ms <= ${nowMs}
      ORDER BY expires_ms LIMIT 1000 FOR UPDATE SKIP LOCKED) RETURNING key`,
  } as const
}

export type Transitions = ReturnType<typeof transitions>
