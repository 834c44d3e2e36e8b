/** The settings of PostgreSQL servers that the harness starts, as arguments of the command. */
import type { PostgresSettings } from '../postgres/postgres-machine.ts'

export interface ServerSettings {
  readonly port: number
  /** The addresses on which the server listens. */
  readonly addresses: string
  readonly settings: PostgresSettings
}

/**
 * Settings that make runs fast and repeatable: vacuum moves no rows, and the server does not wait
 * for the disk, which is safe because a killed process does not lose the system's cache. Commit
 * times are recorded.
 */
const always = [
  ...['timezone=UTC', 'fsync=off', 'full_page_writes=off', 'autovacuum=off', 'track_commit_timestamp=on'],
  'shared_buffers=16MB',
]

export function serverSettings(
  { port, addresses, settings }: ServerSettings,
  more: readonly string[] = [],
): readonly string[] {
  const own = [
    ...[`port=${port}`, `listen_addresses=${addresses}`, `max_connections=${settings.maxConnections}`],
    `synchronous_commit=${settings.synchronousCommit ? 'on' : 'off'}`,
  ]
  return [...always, ...own, ...more].flatMap((one) => ['-c', one])
}
