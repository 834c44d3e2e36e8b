/** The parameters of replication, including their old names. */
import { memory, number, type Parameter, type Parameters, text, yesNo } from '../parameter-kinds.ts'

const intMax = 2147483647

/** CONFIG GET returns the current primary. */
const replicaof: Parameter = text('replicaof', true)

const underNewNames: Parameters = {
  replicaof,
  'replica-read-only': yesNo('replicaReadOnly'),
  'replica-serve-stale-data': yesNo('replicaServeStaleData'),
  'replica-priority': number('replicaPriority', false, 0, intMax),
  'replica-announce-ip': text('replicaAnnounceIp'),
  'replica-announce-port': number('replicaAnnouncePort', false, 0, 65535),
  'min-replicas-to-write': number('minReplicasToWrite', false, 0, intMax),
  'min-replicas-max-lag': number('minReplicasMaxLag', false, 0, intMax),
  'repl-ping-replica-period': number('replPingReplicaPeriod', false, 1, intMax),
}

const oldNames: { readonly [name: string]: string } = {
  slaveof: 'replicaof',
  'slave-read-only': 'replica-read-only',
  'slave-serve-stale-data': 'replica-serve-stale-data',
  'slave-priority': 'replica-priority',
  'slave-announce-ip': 'replica-announce-ip',
  'slave-announce-port': 'replica-announce-port',
  'min-slaves-to-write': 'min-replicas-to-write',
  'min-slaves-max-lag': 'min-replicas-max-lag',
  'repl-ping-slave-period': 'repl-ping-replica-period',
}

export const replicationParameters: Parameters = {
  ...underNewNames,
  ...Object.fromEntries(Object.entries(oldNames).map(([old, name]) => [old, underNewNames[name]!])),
  masterauth: text('masterauth'),
  'repl-timeout': number('replTimeout', false, 1, intMax),
  'repl-diskless-sync-delay': number('replDisklessSyncDelay', false, 0, intMax),
  'repl-backlog-size': memory('replBacklogSize', 1),
  'repl-backlog-ttl': number('replBacklogTtl', false, 0),
}
