/**
 * A Sentinel's actions after an INFO. Source: the second half of sentinelRefreshInstanceInfo of
 * Redis 7.0.
 */
import type { InfoReply } from '../info-reply.ts'
import { sameAddress } from './address.ts'
import { forceHello } from './hello.ts'
import type { Primary, Replica } from './instance.ts'
import { addReplica } from './instances.ts'
import { readInfo } from './read-info.ts'
import { sendSlaveOf } from './send-slave-of.ts'
import type { Sentinel } from './sentinel.ts'

export function learnInfo(sentinel: Sentinel, one: Primary | Replica, info: InfoReply): void {
  const { role, rebooted, replicas } = readInfo(one, info, sentinel.nowMs)
  if (rebooted) noteReboot(sentinel, one)
  if (one.kind === 'master') for (const address of replicas) meetReplica(sentinel, one, address)
  if (role !== one.roleReported) {
    one.roleReportedMs = sentinel.nowMs
    one.roleReported = role
    if (role === 'slave') one.followsChangedMs = sentinel.nowMs
    const type = one.kind === role ? '+role-change' : '-role-change'
    sentinel.event(type, one, ` new reported role is ${role === 'master' ? 'master' : 'slave'}`)
  }
  if (sentinel.tiltSinceMs !== null || one.kind === 'master') return
  if (role === 'master') beholdPrimary(sentinel, one)
  if (role !== 'slave') return
  fixConfig(sentinel, one)
  followReconfiguration(sentinel, one)
}

function noteReboot(sentinel: Sentinel, one: Primary | Replica): void {
  sentinel.event('+reboot', one)
  if (one.kind === 'slave' || one.masterRebootDownAfterMs === 0) return
  one.rebooted = true
  one.rebootedMs = sentinel.nowMs
}

function meetReplica(sentinel: Sentinel, primary: Primary, address: { host: string; port: number }): void {
  const replica = addReplica(sentinel, primary, address)
  if (replica === null) return
  sentinel.event('+slave', replica)
  sentinel.flushConfig()
}

/**
 * Called when a replica reports that it is a primary: it was promoted, or it is an old primary that
 * returned.
 */
function beholdPrimary(sentinel: Sentinel, one: Replica): void {
  const { primary } = one
  if (one.isPromoted && primary.failoverInProgress && primary.failoverState === 'wait_promotion') {
    primary.configEpoch = primary.failoverEpoch
    primary.failoverState = 'reconf_slaves'
    primary.failoverStateMs = sentinel.nowMs
    sentinel.flushConfig()
    sentinel.event('+promoted-slave', one)
    sentinel.event('+failover-state-reconf-slaves', primary)
    forceHello(sentinel, primary)
    return
  }
  // The instance is reconfigured only after a wait, because other Sentinels may report a failover
  // in which it became the primary.
  const waitMs = sentinel.periods.publishMs * 4
  const due = sentinel.nowMs - one.roleReportedMs > waitMs && notDownFor(sentinel, one, waitMs)
  if (one.isPromoted || !looksSane(sentinel, primary) || !due) return
  sendSlaveOf(one, primary.address)
  sentinel.event('+convert-to-slave', one)
}

/** Reconfigures a replica that follows another server. */
function fixConfig(sentinel: Sentinel, one: Replica): void {
  const { primary, follows } = one
  if (sameAddress(primary.address, { host: follows.host ?? '', port: follows.port })) return
  const waitMs = primary.failoverTimeoutMs
  const due = sentinel.nowMs - one.followsChangedMs > waitMs && notDownFor(sentinel, one, waitMs)
  if (!looksSane(sentinel, primary) || !due) return
  sendSlaveOf(one, primary.address)
  sentinel.event('+fix-slave-config', one)
}

/** Tracks a replica's reconfiguration to the promoted replica. */
function followReconfiguration(sentinel: Sentinel, one: Replica): void {
  const { promoted } = one.primary
  const follows = { host: one.follows.host ?? '', port: one.follows.port }
  if (one.reconfSent && promoted !== null && sameAddress(promoted.address, follows)) {
    one.reconfSent = false
    one.reconfInProgress = true
    sentinel.event('+slave-reconf-inprog', one)
  }
  if (!one.reconfInProgress || !one.linkUp) return
  one.reconfInProgress = false
  one.reconfDone = true
  sentinel.event('+slave-reconf-done', one)
}

/** True if the primary is up and recently reported that it is a primary. */
function looksSane(sentinel: Sentinel, primary: Primary): boolean {
  const isFresh = sentinel.nowMs - primary.infoMs < sentinel.periods.infoMs * 2
  return primary.roleReported === 'master' && !primary.sDown && !primary.oDown && isFresh
}

function notDownFor(sentinel: Sentinel, { sDownSinceMs }: Replica, ms: number): boolean {
  return sDownSinceMs === 0 || sentinel.nowMs - sDownSinceMs > ms
}
