/**
 * A setting and the values that it accepts: https://www.postgresql.org/docs/15/runtime-config.html
 */
export interface SettingKind {
  readonly name: string
  readonly fallback: string
  readonly kind: 'text' | 'boolean' | 'milliseconds' | 'integer' | 'choice'
  readonly choices?: readonly string[]
  readonly range?: readonly [least: number, most: number]
  /** True if clients are notified of each change (ParameterStatus). */
  readonly reported?: boolean
  /** True if the setting cannot change while the server runs. */
  readonly fixed?: boolean
}

const isolations = ['serializable', 'repeatable read', 'read committed', 'read uncommitted']
const messages = ['debug5', 'debug4', 'debug3', 'debug2', 'debug1', 'log', 'notice', 'warning', 'error']
const ms = (name: string, fallback: string, least = 0): SettingKind => ({
  name,
  fallback,
  kind: 'milliseconds',
  range: [least, 2147483647],
})
const fixed = (name: string, fallback: string, reported = false): SettingKind => ({
  name,
  fallback,
  kind: 'text',
  fixed: true,
  reported,
})

export const settingTable: readonly SettingKind[] = [
  ms('statement_timeout', '0'),
  ms('lock_timeout', '0'),
  ms('deadlock_timeout', '1000', 1),
  ms('idle_in_transaction_session_timeout', '0'),
  ms('idle_session_timeout', '0'),
  {
    name: 'synchronous_commit',
    fallback: 'on',
    kind: 'choice',
    choices: ['on', 'off', 'local', 'remote_write', 'remote_apply'],
  },
  { name: 'transaction_isolation', fallback: 'read committed', kind: 'choice', choices: isolations },
  { name: 'default_transaction_isolation', fallback: 'read committed', kind: 'choice', choices: isolations },
  { name: 'transaction_read_only', fallback: 'off', kind: 'boolean' },
  { name: 'default_transaction_read_only', fallback: 'off', kind: 'boolean', reported: true },
  { name: 'transaction_deferrable', fallback: 'off', kind: 'boolean' },
  { name: 'default_transaction_deferrable', fallback: 'off', kind: 'boolean' },
  { name: 'application_name', fallback: '', kind: 'text', reported: true },
  { name: 'client_encoding', fallback: 'UTF8', kind: 'text', reported: true },
  { name: 'DateStyle', fallback: 'ISO, MDY', kind: 'text', reported: true },
  {
    name: 'IntervalStyle',
    fallback: 'postgres',
    kind: 'choice',
    choices: ['postgres', 'postgres_verbose', 'sql_standard', 'iso_8601'],
    reported: true,
  },
  { name: 'TimeZone', fallback: 'UTC', kind: 'text', reported: true },
  { name: 'search_path', fallback: '"$user", public', kind: 'text' },
  { name: 'client_min_messages', fallback: 'notice', kind: 'choice', choices: messages },
  { name: 'standard_conforming_strings', fallback: 'on', kind: 'boolean', reported: true },
  { name: 'extra_float_digits', fallback: '1', kind: 'integer', range: [-15, 3] },
  { name: 'row_security', fallback: 'on', kind: 'boolean' },
  { name: 'bytea_output', fallback: 'hex', kind: 'choice', choices: ['escape', 'hex'] },
  { name: 'enable_seqscan', fallback: 'on', kind: 'boolean' },
  { name: 'enable_indexscan', fallback: 'on', kind: 'boolean' },
  { name: 'enable_bitmapscan', fallback: 'on', kind: 'boolean' },
  { name: 'enable_indexonlyscan', fallback: 'on', kind: 'boolean' },
  { name: 'work_mem', fallback: '4MB', kind: 'text' },
  { name: 'jit', fallback: 'on', kind: 'boolean' },
  fixed('server_version', '15.20 (Debian 15.20-0+deb12u1)', true),
  fixed('server_version_num', '150020'),
  fixed('server_encoding', 'UTF8', true),
  fixed('integer_datetimes', 'on', true),
  fixed('in_hot_standby', 'off', true),
  fixed('is_superuser', 'on', true),
  fixed('session_authorization', 'postgres', true),
  fixed('max_connections', '100'),
  fixed('wal_writer_delay', '200ms'),
]
