import { type InfoLine, InfoReply } from './info-reply.ts'
import { replicationLines } from './replication/info.ts'
import type { RedisServer } from './server.ts'
import { redisVersion } from './version.ts'

/**
 * INFO, built on request. The sections and their order are those of Redis 7.0. Fields without a
 * meaning in the simulation (memory, CPU, network traffic) are omitted or constant.
 */
/** Bytes. The value is an arbitrary constant, because memory is not counted. */
export const usedMemory = 1048576

type Section = readonly [title: string, lines: (server: RedisServer) => readonly InfoLine[]]

const sections: { readonly [name: string]: Section } = {
  server: [
    'Server',
    (server) => [
      ['redis_version', redisVersion],
      ['redis_git_sha1', '00000000'],
      ['redis_git_dirty', 0],
      ['redis_mode', server.cluster === null ? 'standalone' : 'cluster'],
      ['os', 'Linux simulated x86_64'],
      ['arch_bits', 64],
      ['process_id', 1],
      ['run_id', server.runId],
      ['tcp_port', server.config.port],
      ['server_time_usec', server.environment.nowUs()],
      ['uptime_in_seconds', seconds(server)],
      ['uptime_in_days', Math.floor(seconds(server) / 86400)],
      ['hz', 10],
      ['configured_hz', 10],
    ],
  ],
  clients: [
    'Clients',
    (server) => [
      ['connected_clients', server.connections.size],
      ['cluster_connections', server.cluster?.connections ?? 0],
      ['maxclients', 10000],
      ['blocked_clients', [...server.connections.values()].filter((connection) => connection.isBlocked).length],
      ['tracking_clients', server.tracking.clients],
      ['clients_in_timeout_table', 0],
    ],
  ],
  memory: [
    'Memory',
    (server) => [
      ['used_memory', usedMemory],
      ['used_memory_human', '1.00M'],
      ['number_of_cached_scripts', server.scripts.size],
      ['maxmemory', server.config.maxmemory],
      ['maxmemory_human', '0B'],
      ['maxmemory_policy', server.config.maxmemoryPolicy],
    ],
  ],
  persistence: [
    'Persistence',
    (server) => [
      ['loading', server.degraded.loading || server.isLoading ? 1 : 0],
      ['async_loading', 0],
      ['rdb_changes_since_last_save', server.persistence.changesSinceSave],
      ['rdb_bgsave_in_progress', server.persistence.isSaving || server.replication.replicas.isSyncing ? 1 : 0],
      ['rdb_last_save_time', Math.floor(server.persistence.lastSaveMs / 1000)],
      ['rdb_last_bgsave_status', 'ok'],
      ['aof_enabled', server.persistence.hasLog ? 1 : 0],
      ['aof_last_write_status', 'ok'],
      ...(server.degraded.loading || server.isLoading ? loadingLines : []),
    ],
  ],
  stats: [
    'Stats',
    (server) => [
      ['total_connections_received', server.connectionsReceived],
      ['total_commands_processed', server.commandsExecuted],
      ['rejected_connections', 0],
      ['sync_full', server.replication.replicas.syncFull],
      ['sync_partial_ok', server.replication.replicas.syncPartialOk],
      ['sync_partial_err', server.replication.replicas.syncPartialErr],
      ['expired_keys', server.keyspace.state.expired],
      ['evicted_keys', server.evictedKeys],
      ['keyspace_hits', server.keyspace.state.hits],
      ['keyspace_misses', server.keyspace.state.misses],
      ['migrate_cached_sockets', 0],
      ['tracking_total_keys', server.tracking.totals.keys],
      ['tracking_total_items', server.tracking.totals.items],
      ['tracking_total_prefixes', server.tracking.totals.prefixes],
      ['total_error_replies', server.errorCounts.total],
    ],
  ],
  replication: ['Replication', replicationLines],
  cpu: [
    'CPU',
    () => [
      ['used_cpu_sys', '0.000000'],
      ['used_cpu_user', '0.000000'],
    ],
  ],
  modules: ['Modules', () => []],
  commandstats: ['Commandstats', ({ commandCounts }) => commandCounts.lines()],
  errorstats: ['Errorstats', ({ errorCounts }) => errorCounts.lines()],
  cluster: ['Cluster', ({ cluster }) => [['cluster_enabled', cluster === null ? 0 : 1]]],
  keyspace: ['Keyspace', keyspaceLines],
}

/**
 * The values are arbitrary, because the progress of loading is unknown. Clients read `loading` and
 * retry after `loading_eta_seconds`.
 */
const loadingLines = [
  ['loading_start_time', 0],
  ['loading_total_bytes', 1],
  ['loading_rdb_used_mem', 0],
  ['loading_loaded_bytes', 0],
  ['loading_loaded_perc', '0.00'],
  ['loading_eta_seconds', 1],
] as const

/** Sections that INFO omits without a name, or with the name `default`. */
const notByDefault = new Set(['commandstats'])

/** `names` are the requested sections; `all` and `everything` select all of them. */
export function info(server: RedisServer, names: readonly string[]): InfoReply {
  const [name] = names
  const single = names.length === 1 ? singleSections.get(name!) : undefined
  const asked = names.length === 0 ? usualSections : (single ?? sectionsNamed(names))
  return new InfoReply(asked.map(([title, lines]) => ({ title, lines: lines(server) })))
}

function sectionsNamed(names: readonly string[]): Section[] {
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  const all = wanted.has('all') || wanted.has('everything')
  const usual = wanted.has('default')
  const isChosen = (name: string) => all || wanted.has(name) || (usual && !notByDefault.has(name))
  return Object.entries(sections).flatMap(([name, section]) => (isChosen(name) ? [section] : []))
}

/** Lists of one section each, built in advance because scripts often request one section. */
const singleSections = new Map(Object.entries(sections).map(([name, section]) => [name, [section]]))

const usualSections = sectionsNamed(['default'])

function keyspaceLines(server: RedisServer): (readonly [string, string])[] {
  return server.keyspace.used().map((database) => {
    database.runExpiryCycle()
    const entries = [...database.entries.values()].filter((entry) => entry.expireAtMs !== -1)
    const left = entries.map((entry) => Number(entry.expireAtMs) - database.state.nowMs)
    const average = left.length === 0 ? 0 : Math.floor(left.reduce((sum, ms) => sum + ms, 0) / left.length)
    return [
      `db${database.index}`,
      `keys=${database.entries.size},expires=${entries.length},avg_ttl=${average}`,
    ] as const
  })
}

function seconds(server: RedisServer): number {
  return Math.floor((server.keyspace.state.nowMs - server.startedMs) / 1000)
}
