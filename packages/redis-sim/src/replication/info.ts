/** INFO replication, in the format of Redis 7.0.15. */
import type { InfoLine } from '../info-reply.ts'
import type { RedisServer } from '../server.ts'
import type { AttachedReplica, ReplicaState } from './attached-replica.ts'
import type { PrimaryLink } from './primary-link.ts'

export function replicationLines(server: RedisServer): readonly InfoLine[] {
  const { config, replication, replicationOffset } = server
  const { link, replicas, backlog } = replication
  const nowMs = server.keyspace.state.nowMs
  const countsGood = config.minReplicasToWrite !== 0 && config.minReplicasMaxLag !== 0
  return [
    ['role', replication.role],
    ...(link === null ? [] : linkLines(server, link, nowMs)),
    ['connected_slaves', replicas.list.length],
    ...(countsGood ? [['min_slaves_good_slaves', replicas.good] as const] : []),
    ...replicas.list.map((replica, at): InfoLine => [`slave${at}`, replicaLine(replica, nowMs)]),
    ['master_failover_state', 'no-failover'],
    ['master_replid', replication.id],
    ['master_replid2', replication.id2],
    ['master_repl_offset', replicationOffset],
    ['second_repl_offset', replication.secondOffset],
    ['repl_backlog_active', backlog === null ? 0 : 1],
    ['repl_backlog_size', config.replBacklogSize],
    ['repl_backlog_first_byte_offset', backlog?.firstOffset ?? 0],
    ['repl_backlog_histlen', backlog?.length ?? 0],
  ]
}

function linkLines({ config }: RedisServer, link: PrimaryLink, nowMs: number): readonly InfoLine[] {
  const up = link.state === 'connected'
  const syncs = link.state === 'sync' || link.state === 'loading'
  const since = (ms: number) => Math.floor(nowMs / 1000) - Math.floor(ms / 1000)
  const applied = link.position?.offset ?? 1
  return [
    ['master_host', link.host],
    ['master_port', link.port],
    ['master_link_status', up ? 'up' : 'down'],
    ['master_last_io_seconds_ago', link.stream === null ? -1 : since(link.lastIoMs)],
    ['master_sync_in_progress', syncs ? 1 : 0],
    ['slave_read_repl_offset', link.stream?.readOffset ?? applied],
    ['slave_repl_offset', applied],
    ...(syncs ? transferLines(link, since(link.lastIoMs)) : []),
    ...(up
      ? []
      : [['master_link_down_since_seconds', link.downSinceMs === null ? -1 : since(link.downSinceMs)] as const]),
    ['slave_priority', config.replicaPriority],
    ['slave_read_only', config.replicaReadOnly ? 1 : 0],
    ['replica_announced', 1],
  ]
}

/** The lines about the transfer of a data set of unknown length. */
function transferLines({ transfer }: PrimaryLink, silentSeconds: number): readonly InfoLine[] {
  const bytes = transfer?.bytes ?? 0
  return [
    ['master_sync_total_bytes', 0],
    ['master_sync_read_bytes', bytes],
    ['master_sync_left_bytes', -bytes],
    ['master_sync_perc', '0.00'],
    ['master_sync_last_io_seconds_ago', silentSeconds],
  ]
}

const stateNames: { readonly [state in ReplicaState]: string } = {
  'wait-start': 'wait_bgsave',
  'wait-end': 'wait_bgsave',
  online: 'online',
}

function replicaLine(replica: AttachedReplica, nowMs: number): string {
  const { address, introduction, state, ackedOffset } = replica
  return `ip=${address},port=${introduction.port},state=${stateNames[state]},offset=${ackedOffset},lag=${replica.lagSeconds(nowMs)}`
}
