/**
 * Pieces of SQL that several transitions share. Times are the server's, in milliseconds since the
 * Unix epoch.
 */

/** When it is asked, not when the transaction began: it may have waited since. */
export const nowMs = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
export const nowUs = 'floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint'

/**
 * For the transaction that it stands in: its commit is answered when it is on disk, and on a
 * synchronous standby, whatever the server's setting, the role's or the database's is. One that
 * waits for more is left alone.
 */
export const durably =
  "CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply'" +
  " ELSE set_config('synchronous_commit', 'on', true) END"

/** Before a statement that writes, which reads from it. */
export const withDurable = `WITH durable AS MATERIALIZED (SELECT ${durably} AS commits)`

/**
 * The timeline that the server writes: another one after each promotion, and after each recovery
 * from an archive of its log; not after the restore of a dump or of a disk's snapshot, and the
 * first one again after pg_upgrade. (A file of its log is named after it, at whatever place.)
 */
export const timeline = "left(pg_walfile_name('0/1'), 8)"
