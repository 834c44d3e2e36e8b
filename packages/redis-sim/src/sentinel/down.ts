/**
 * Failure detection. An instance is subjectively down if this Sentinel considers it down. A primary
 * is objectively down if a quorum of Sentinels agrees.
 */
import type { Primary, Watched } from './instance.ts'
import type { Sentinel } from './sentinel.ts'

/** Source: sentinelCheckSubjectivelyDown of Redis 7.0. */
export function checkSubjectivelyDown(sentinel: Sentinel, one: Watched): void {
  dropIdleConnections(sentinel, one)
  if (looksDown(sentinel, one)) {
    if (one.sDown) return
    sentinel.event('+sdown', one)
    one.sDownSinceMs = sentinel.nowMs
    one.sDown = true
  } else if (one.sDown) {
    sentinel.event('-sdown', one)
    one.sDown = one.scriptKillSent = false
  }
}

/**
 * True if the instance does not answer. A primary also looks down if it has reported for long
 * enough that it is a replica, or if it was restarted.
 */
export function looksDown({ nowMs, periods }: Sentinel, one: Watched): boolean {
  const { link, downAfterMs } = one
  let silentMs = 0
  if (link.unansweredPingMs !== 0) silentMs = nowMs - link.unansweredPingMs
  else if (link.disconnected) silentMs = nowMs - link.lastAliveMs
  if (silentMs > downAfterMs) return true
  if (one.kind !== 'master') return false
  const isDemoted = one.roleReported === 'slave' && nowMs - one.roleReportedMs > downAfterMs + periods.infoMs * 2
  return isDemoted || (one.rebooted && nowMs - one.rebootedMs > one.masterRebootDownAfterMs)
}

/** Closes connections that are established but receive nothing, so that they are opened again. */
function dropIdleConnections({ nowMs, periods }: Sentinel, { link, downAfterMs }: Watched): void {
  const half = Math.trunc(downAfterMs / 2)
  const isMute = link.unansweredPingMs !== 0 && nowMs - link.unansweredPingMs > half && nowMs - link.lastPongMs > half
  if (isMute && nowMs - link.commandsSinceMs > periods.minLinkReconnectMs) link.closeCommands()
  const isSilent = nowMs - link.lastMessageMs > periods.publishMs * 3
  if (isSilent && nowMs - link.messagesSinceMs > periods.minLinkReconnectMs) link.closeMessages()
}

/**
 * Marks the primary as objectively down if a quorum of Sentinels agrees. Answers of other Sentinels
 * may be up to five seconds old, so they may no longer agree.
 */
export function checkObjectivelyDown(sentinel: Sentinel, primary: Primary): void {
  const agreeing = 1 + [...primary.sentinels.values()].filter(({ masterDown }) => masterDown).length
  if (primary.sDown && agreeing >= primary.quorum) {
    if (primary.oDown) return
    sentinel.event('+odown', primary, ` #quorum ${agreeing}/${primary.quorum}`)
    primary.oDown = true
    primary.oDownSinceMs = sentinel.nowMs
  } else if (primary.oDown) {
    sentinel.event('-odown', primary)
    primary.oDown = false
  }
}
