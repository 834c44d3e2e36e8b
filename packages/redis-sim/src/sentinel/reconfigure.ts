/**
 * After the promotion: reconfigures the other replicas to follow the new primary, a few at a time.
 */
import { enter } from './failover-state.ts'
import type { Primary, Replica } from './instance.ts'
import { sendSlaveOf } from './send-slave-of.ts'
import type { Sentinel } from './sentinel.ts'

/**
 * Source: sentinelFailoverReconfNextSlave of Redis 7.0. As in Redis, a replica that does not
 * reconfigure in time is only given up if parallel-syncs allows another replica. Otherwise the
 * failover waits for its timeout.
 */
export function reconfigureReplicas(sentinel: Sentinel, primary: Primary): void {
  const isBusy = ({ reconfSent, reconfInProgress }: Replica) => reconfSent || reconfInProgress
  let busy = [...primary.replicas.values()].filter(isBusy).length
  for (const replica of primary.replicas.values()) {
    if (busy >= primary.parallelSyncs) break
    if (replica.isPromoted || replica.reconfDone) continue
    if (replica.reconfSent && sentinel.nowMs - replica.reconfSentMs > sentinel.periods.replicaReconfMs) {
      sentinel.event('-slave-reconf-sent-timeout', replica)
      replica.reconfSent = false
      replica.reconfDone = true
    }
    // As in Redis, a replica that was just given up gets the command once more.
    if (isBusy(replica) || replica.link.disconnected) continue
    sendSlaveOf(replica, primary.promoted!.address)
    replica.reconfSent = true
    replica.reconfSentMs = sentinel.nowMs
    sentinel.event('+slave-reconf-sent', replica)
    busy++
  }
  detectEnd(sentinel, primary)
}

/**
 * Ends the failover when every reachable replica follows the new primary, or at the failover
 * timeout. As in Redis, the commands that are queued at the timeout are never sent: the same tick
 * switches to the new primary and closes the links before anything is written.
 */
function detectEnd(sentinel: Sentinel, primary: Primary): void {
  const { promoted } = primary
  if (promoted === null || promoted.sDown) return
  const isLate = sentinel.nowMs - primary.failoverStateMs > primary.failoverTimeoutMs
  const left = [...primary.replicas.values()].filter(
    ({ isPromoted, reconfDone, sDown }) => !isPromoted && !reconfDone && !sDown,
  )
  if (isLate) sentinel.event('+failover-end-for-timeout', primary)
  if (isLate || left.length === 0) {
    sentinel.event('+failover-end', primary)
    enter(sentinel, primary, 'update_config')
  }
  if (!isLate) return
  for (const replica of primary.replicas.values()) {
    if (replica.isPromoted || replica.reconfDone || replica.reconfSent || replica.link.disconnected) continue
    sendSlaveOf(replica, promoted.address)
    sentinel.event('+slave-reconf-sent-be', replica)
    replica.reconfSent = true
  }
}
