/**
 * The states of a failover, from the first attempt to the promotion. Source: sentinel.c of Redis
 * 7.0.
 */
import { attemptStartMs, electedLeader, newEpoch } from './election.ts'
import { enter } from './failover-state.ts'
import type { Primary } from './instance.ts'
import { reconfigureReplicas } from './reconfigure.ts'
import { resetAndChangeAddress } from './reset.ts'
import { selectReplica } from './select-replica.ts'
import { sendSlaveOf } from './send-slave-of.ts'
import type { Sentinel } from './sentinel.ts'

/**
 * Starts a failover if the primary is objectively down, at the earliest twice the failover timeout
 * after the last attempt of any Sentinel. True if it was started.
 */
export function startFailoverIfNeeded(sentinel: Sentinel, primary: Primary): boolean {
  if (!primary.oDown || primary.failoverInProgress) return false
  if (sentinel.nowMs - primary.failoverStartMs < primary.failoverTimeoutMs * 2) return false
  startFailover(sentinel, primary)
  return true
}

export function startFailover(sentinel: Sentinel, primary: Primary): void {
  enter(sentinel, primary, 'wait_start')
  primary.failoverInProgress = true
  newEpoch(sentinel, sentinel.epoch + 1)
  primary.failoverEpoch = sentinel.epoch
  sentinel.event('+try-failover', primary)
  primary.failoverStartMs = attemptStartMs(sentinel)
}

export function continueFailover(sentinel: Sentinel, primary: Primary): void {
  if (!primary.failoverInProgress) return
  switch (primary.failoverState) {
    case 'wait_start':
      return waitForElection(sentinel, primary)
    case 'select_slave':
      return choose(sentinel, primary)
    case 'send_slaveof_noone':
      return promote(sentinel, primary)
    case 'wait_promotion':
      return giveUpWhenLate(sentinel, primary)
    case 'reconf_slaves':
      return reconfigureReplicas(sentinel, primary)
  }
}

/** Continues when this Sentinel is elected. A failover by SENTINEL FAILOVER needs no votes. */
function waitForElection(sentinel: Sentinel, primary: Primary): void {
  const leader = electedLeader(sentinel, primary, primary.failoverEpoch)
  if (leader?.toLowerCase() !== sentinel.id && !primary.forceFailover) {
    const timeoutMs = Math.min(sentinel.periods.electionMs, primary.failoverTimeoutMs)
    if (sentinel.nowMs - primary.failoverStartMs > timeoutMs) abort(sentinel, primary, 'not-elected')
    return
  }
  sentinel.event('+elected-leader', primary)
  enter(sentinel, primary, 'select_slave')
  sentinel.event('+failover-state-select-slave', primary)
}

function choose(sentinel: Sentinel, primary: Primary): void {
  const chosen = selectReplica(sentinel, primary)
  if (chosen === null) return abort(sentinel, primary, 'no-good-slave')
  sentinel.event('+selected-slave', chosen)
  chosen.isPromoted = true
  primary.promoted = chosen
  enter(sentinel, primary, 'send_slaveof_noone')
  sentinel.event('+failover-state-send-slaveof-noone', chosen)
}

function promote(sentinel: Sentinel, primary: Primary): void {
  const promoted = primary.promoted!
  if (promoted.link.disconnected) return giveUpWhenLate(sentinel, primary)
  sendSlaveOf(promoted, null)
  sentinel.event('+failover-state-wait-promotion', promoted)
  enter(sentinel, primary, 'wait_promotion')
}

/**
 * Aborts the failover if INFO does not report the promotion (learn-info.ts) within the failover
 * timeout.
 */
function giveUpWhenLate(sentinel: Sentinel, primary: Primary): void {
  if (sentinel.nowMs - primary.failoverStateMs > primary.failoverTimeoutMs) abort(sentinel, primary, 'slave-timeout')
}

/**
 * Called only before the promoted replica has reported that it is a primary. After that report, the
 * failover always completes.
 */
function abort(sentinel: Sentinel, primary: Primary, why: 'not-elected' | 'no-good-slave' | 'slave-timeout'): void {
  sentinel.event(`-failover-abort-${why}`, primary)
  primary.failoverInProgress = primary.forceFailover = false
  enter(sentinel, primary, 'none')
  if (primary.promoted !== null) primary.promoted.isPromoted = false
  primary.promoted = null
}

/** Ends the failover: the promoted replica becomes the primary. */
export function switchToPromoted(sentinel: Sentinel, primary: Primary): void {
  const { host, port } = primary.address
  const address = primary.promoted?.address ?? primary.address
  sentinel.announce('+switch-master', `${primary.name} ${host} ${port} ${address.host} ${address.port}`)
  resetAndChangeAddress(sentinel, primary, address)
}
