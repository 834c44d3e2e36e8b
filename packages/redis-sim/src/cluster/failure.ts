/**
 * Failure states of nodes. Source: markNodeAsFailingIfNeeded and clearNodeFailureIfNeeded of Redis
 * 7.0.
 */
import type { Cluster } from './cluster.ts'
import type { ClusterNode } from './cluster-node.ts'
import { sendFail } from './send.ts'

/**
 * Failure reports are valid for this number of node timeouts. A failed primary with slots keeps the
 * state `fail` for the same time, even if it answers again.
 */
const timeouts = 2

function countReports(cluster: Cluster, { reports }: ClusterNode): number {
  const oldest = cluster.nowMs - timeouts * cluster.timeoutMs
  for (const [reporter, atMs] of reports) if (atMs < oldest) reports.delete(reporter)
  return reports.size
}

export function isReported(cluster: Cluster, node: ClusterNode): boolean {
  return node.reports.size > 0 && countReports(cluster, node) > 0
}

/** Marks an unreachable node as failed if a majority of the primaries cannot reach it. */
export function markFailed(cluster: Cluster, node: ClusterNode): void {
  if (node.failure !== 'pfail') return
  const failures = countReports(cluster, node) + (cluster.myself.isPrimary ? 1 : 0)
  if (failures < cluster.majority) return
  node.failure = 'fail'
  node.failedMs = cluster.nowMs
  sendFail(cluster, node)
  cluster.stateIsOld = true
}

/**
 * Called when the node answers again. A primary whose slots no other node took over serves them
 * again after a delay.
 */
export function clearFailure(cluster: Cluster, node: ClusterNode): void {
  const replaceable = node.isPrimary && node.slotCount > 0
  if (replaceable && cluster.nowMs - node.failedMs <= timeouts * cluster.timeoutMs) return
  node.failure = null
  cluster.stateIsOld = true
}
