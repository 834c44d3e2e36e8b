import { type Address, sameAddress } from './address.ts'
import type { Primary } from './instance.ts'
import { addReplica } from './instances.ts'
import type { Sentinel } from './sentinel.ts'

/** Forgets the replicas, a running failover and, if requested, the other Sentinels. */
export function resetPrimary(sentinel: Sentinel, primary: Primary, forget: 'sentinels-too' | 'replicas'): void {
  const { nowMs } = sentinel
  for (const replica of primary.replicas.values()) replica.release()
  primary.replicas.clear()
  if (forget === 'sentinels-too') {
    for (const other of primary.sentinels.values()) other.release()
    primary.sentinels.clear()
  }
  const { link } = primary
  link.closeBoth()
  primary.sDown = primary.oDown = primary.scriptKillSent = primary.rebooted = false
  primary.failoverInProgress = primary.forceFailover = false
  primary.leader = null
  primary.failoverState = 'none'
  primary.failoverStateMs = primary.failoverStartMs = 0
  primary.promoted = null
  primary.runId = null
  primary.follows.host = null
  link.lastPingMs = 0
  link.unansweredPingMs = link.lastAliveMs = link.lastPongMs = nowMs
  primary.roleReportedMs = nowMs
  primary.roleReported = 'master'
}

/**
 * Changes the primary's address: the old primary and its replicas become replicas of the new
 * primary.
 */
export function resetAndChangeAddress(sentinel: Sentinel, primary: Primary, address: Address): void {
  const replicas = [...primary.replicas.values()].map((replica) => replica.address)
  const others = replicas.filter((one) => !sameAddress(one, address))
  if (!sameAddress(primary.address, address)) others.push(primary.address)
  resetPrimary(sentinel, primary, 'replicas')
  primary.address = address
  primary.sDownSinceMs = primary.oDownSinceMs = 0
  for (const one of others) {
    const replica = addReplica(sentinel, primary, one)
    if (replica !== null) sentinel.event('+slave', replica)
  }
  sentinel.flushConfig()
}
