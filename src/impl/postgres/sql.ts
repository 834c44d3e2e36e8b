/**
 * Parts of SQL that several transitions share. Times are the server's, in milliseconds since the
 * Unix epoch.
 */

/** The tables of a layer. Each namespace has its own. */
export interface Tables {
  readonly records: string
  readonly generations: string
}

/** `namespace` is part of an identifier as it is. */
export function tablesOf(namespace: string): Tables {
  const before = namespace === '' ? 'once' : `once_${namespace}`
  return { records: `${before}_records`, generations: `${before}_generations` }
}

/** The present time, not the start of the transaction, which may have waited since. */
export const nowMs = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
export const nowUs = 'floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint'

/**
 * Makes the commit of its transaction durable: it is answered once it is on disk and on a
 * synchronous standby, whatever the server, the role or the database have set. A stricter setting
 * is kept.
 */
export const durably =
  "CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply'" +
  " ELSE set_config('synchronous_commit', 'on', true) END"

/** Precedes a writing statement, which must read from it. */
export const withDurable = `WITH durable AS MATERIALIZED (SELECT ${durably} AS commits)`

/**
 * The timeline of the server. It changes with each promotion and each recovery from an archive of
 * the log. It does not change if a dump or a disk snapshot is restored, and starts again after
 * pg_upgrade. (The name of every log file begins with it.)
 */
export const timeline = "left(pg_walfile_name('0/1'), 8)"
