/**
 * A Sentinel's configuration file: read at the start, and written whenever the Sentinel learns
 * something that must survive a restart.
 */
import { sameAddress } from './address.ts'
import type { MonitorConfig, SentinelConfig } from './config.ts'
import type { Primary } from './instance.ts'
import { addPrimary, addReplica, addSentinel, currentAddress } from './instances.ts'
import type { Sentinel } from './sentinel.ts'

/**
 * Adds the instances of one primary's section. Throws if a real Sentinel would not start. Source:
 * sentinelHandleConfiguration of Redis 7.0.
 */
export function readMonitor(sentinel: Sentinel, monitor: MonitorConfig): void {
  const primary = addPrimary(sentinel, monitor.name, monitor, monitor.quorum)
  if (typeof primary === 'string') throw new Error(`sentinel monitor ${monitor.name}: ${primary}`)
  primary.downAfterMs = monitor.downAfterMs ?? primary.downAfterMs
  primary.failoverTimeoutMs = monitor.failoverTimeoutMs ?? primary.failoverTimeoutMs
  primary.parallelSyncs = monitor.parallelSyncs ?? primary.parallelSyncs
  primary.masterRebootDownAfterMs = monitor.masterRebootDownAfterMs ?? 0
  primary.authPass = monitor.authPass ?? ''
  primary.authUser = monitor.authUser ?? ''
  primary.configEpoch = monitor.configEpoch ?? 0
  primary.leaderEpoch = monitor.leaderEpoch ?? 0
  if (primary.configEpoch > sentinel.epoch) sentinel.epoch = primary.configEpoch
  for (const replica of monitor.knownReplicas ?? []) addReplica(sentinel, primary, replica)
  for (const { runId, ...address } of monitor.knownSentinels ?? []) addSentinel(sentinel, primary, runId, address)
}

/**
 * The current content of the configuration file. Source: rewriteConfigSentinelOption of Redis 7.0.
 */
export function writeConfig(sentinel: Sentinel): SentinelConfig {
  return {
    ...sentinel.settings,
    port: sentinel.config.port,
    requirepass: sentinel.config.requirepass,
    myId: sentinel.id,
    currentEpoch: sentinel.epoch,
    periods: sentinel.givenPeriods,
    monitors: [...sentinel.primaries.values()].map(writeMonitor),
  }
}

/**
 * The section of one primary. After the promotion of a replica, the promoted replica is written as
 * the primary, and the old primary as a replica.
 */
function writeMonitor(primary: Primary): MonitorConfig {
  const address = currentAddress(primary)
  return {
    name: primary.name,
    ...address,
    quorum: primary.quorum,
    downAfterMs: primary.downAfterMs,
    failoverTimeoutMs: primary.failoverTimeoutMs,
    parallelSyncs: primary.parallelSyncs,
    masterRebootDownAfterMs: primary.masterRebootDownAfterMs,
    authPass: primary.authPass,
    authUser: primary.authUser,
    configEpoch: primary.configEpoch,
    leaderEpoch: primary.leaderEpoch,
    knownReplicas: [...primary.replicas.values()].map((replica) =>
      sameAddress(replica.address, address) ? primary.address : replica.address,
    ),
    knownSentinels: [...primary.sentinels].map(([runId, other]) => ({ runId, ...other.address })),
  }
}
