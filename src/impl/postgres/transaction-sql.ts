/** The statements of a transaction that writes record and effect together. */
import { durably, nowMs, nowUs, type Tables, withDurable } from './sql.ts'

/**
 * If a holder is silent for longer, the server ends its transaction, which frees the key.
 */
export const open = (leaseMs: number) =>
  `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL idle_in_transaction_session_timeout = ${leaseMs}`

/**
 * Takes the key, or returns no row. Waits while another transaction holds the key, because its
 * COMMIT may already be in flight: a returned row proves that no earlier one has committed. $1 key,
 * $2 fingerprint, $3 owner, $4 time to live, $5 how long to wait, in ms, $6
 * producedAt
 */
export const take = (at: Tables) => `WITH was AS MATERIALIZED (SELECT current_setting('lock_timeout') AS lock_timeout),
    waits AS MATERIALIZED (SELECT set_config('lock_timeout', $5, true) AS lock_timeout FROM was)
  INSERT INTO ${at.records} (key, state, fingerprint, owner, fence, revision, expires_ms, produced_ms)
  SELECT $1, 'acquired', $2, $3, ${nowUs}, $3, ${nowMs} + $4::bigint, $6::bigint FROM waits
  ON CONFLICT (key) DO NOTHING
  RETURNING fence, ${nowMs} AS now_ms, (SELECT set_config('lock_timeout', lock_timeout, true) FROM was) AS lock_timeout`

/**
 * Reads the record. The lock makes the next commit wait until the record is durable, because the
 * commit that wrote it may have stopped waiting for that. $1 key
 */
export const known = (at: Tables) => `SELECT *, ${durably} AS commits FROM ${at.records} WHERE key = $1 FOR SHARE`

/**
 * The last statement before COMMIT, which makes record and effect durable together. $1 key, $2
 * owner, $3 time to live, $4 result, $5 why it was not kept
 */
export const complete = (at: Tables) => `UPDATE ${at.records}
  SET state = 'completed', result = $4, unkept = $5, expires_ms = greatest(expires_ms, ${nowMs} + $3::bigint), revision = $2
  WHERE key = $1 AND owner = $2 AND state = 'acquired'
  RETURNING ${durably} AS commits`

/**
 * Records a refusal, in a separate transaction, because the effect's is rolled back. $1 key, $2
 * fingerprint, $3 owner, $4 time to live, $5 error, $6 producedAt
 */
export const refuse = (at: Tables) => `${withDurable}
  INSERT INTO ${at.records} (key, state, fingerprint, owner, fence, revision, expires_ms, error, produced_ms)
  SELECT $1, 'refused', $2, $3, ${nowUs}, $3, ${nowMs} + $4::bigint, $5, $6::bigint FROM durable
  ON CONFLICT (key) DO NOTHING RETURNING key`
