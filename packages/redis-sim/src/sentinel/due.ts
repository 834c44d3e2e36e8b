/**
 * Computes when a tick will next find something to do. The conditions must correspond to those in
 * `handle`.
 */
import { looksDown } from './down.ts'
import type { Primary, Watched } from './instance.ts'
import { infoPeriod, maxPending } from './send.ts'
import type { Sentinel } from './sentinel.ts'

/**
 * The time at which a tick will find something to do, in milliseconds of the Sentinel's clock; 0
 * for the very next tick. The result is valid until new input arrives.
 */
export function dueMs(sentinel: Sentinel): number {
  if (sentinel.tiltSinceMs !== null) return 0
  let due = Number.POSITIVE_INFINITY
  for (const primary of sentinel.primaries.values()) {
    due = Math.min(due, ofFailover(sentinel, primary), ofOne(sentinel, primary))
    for (const other of primary.others()) due = Math.min(due, ofOne(sentinel, other))
  }
  return due
}

/** A primary that is down or being failed over is checked in every tick. */
function ofFailover({ periods }: Sentinel, primary: Primary): number {
  const { sDown, oDown, failoverState, failoverInProgress, roleReported, rebooted } = primary
  if (sDown || oDown || failoverInProgress || failoverState !== 'none') return 0
  if (roleReported !== 'master' || rebooted) return 0
  let due = Number.POSITIVE_INFINITY
  for (const { masterDown, leader, lastMasterDownReplyMs } of primary.sentinels.values())
    if (masterDown || leader !== null) due = Math.min(due, lastMasterDownReplyMs + periods.askMs * 5 + 1)
  return due
}

function ofOne(sentinel: Sentinel, one: Watched): number {
  if (looksDown(sentinel, one) !== one.sDown) return 0
  return Math.min(ofLink(sentinel, one), ofSilence(sentinel, one))
}

/** The time of the next reconnection or periodic command. */
function ofLink(sentinel: Sentinel, one: Watched): number {
  const { link, downAfterMs } = one
  const { periods } = sentinel
  if (link.disconnected)
    return one.address.port === 0 ? Number.POSITIVE_INFINITY : link.lastReconnectMs + periods.pingMs
  if (link.pending >= maxPending * link.users) return Number.POSITIVE_INFINITY
  const pingPeriod = Math.min(downAfterMs, periods.pingMs)
  const ping = Math.max(link.lastPongMs + pingPeriod, link.lastPingMs + Math.trunc(pingPeriod / 2))
  const due = Math.min(ping, one.lastPublishedMs + periods.publishMs)
  if (one.kind === 'sentinel') return due + 1
  return one.infoMs === 0 ? 0 : Math.min(due, one.infoMs + infoPeriod(sentinel, one)) + 1
}

/** The time at which the instance counts as down, or its connections are closed. */
function ofSilence({ periods }: Sentinel, { link, downAfterMs, sDown }: Watched): number {
  const { unansweredPingMs: unanswered } = link
  let due = Number.POSITIVE_INFINITY
  if (!sDown && unanswered !== 0) due = unanswered + downAfterMs
  else if (!sDown && link.disconnected) due = link.lastAliveMs + downAfterMs
  if (link.commands !== null && unanswered !== 0) {
    const half = Math.trunc(downAfterMs / 2)
    due = Math.min(
      due,
      Math.max(unanswered + half, link.lastPongMs + half, link.commandsSinceMs + periods.minLinkReconnectMs),
    )
  }
  if (link.messages !== null)
    due = Math.min(
      due,
      Math.max(link.lastMessageMs + periods.publishMs * 3, link.messagesSinceMs + periods.minLinkReconnectMs),
    )
  return due + 1
}
