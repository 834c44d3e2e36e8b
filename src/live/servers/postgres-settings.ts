/** How a PostgreSQL server of our own is set, as words of its command. */
import type { PostgresSettings } from '../postgres/postgres-machine.ts'

export interface ServerSettings {
  readonly port: number
  /** Where it listens. */
  readonly addresses: string
  readonly settings: PostgresSettings
}

/**
 * What makes runs alike and quick: rows do not move by themselves, no statistics, and the disk of
 * this machine is not waited for, which a server that is killed does not notice. When a transaction
 * committed is kept with it. Nothing of it outlives its files.
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
