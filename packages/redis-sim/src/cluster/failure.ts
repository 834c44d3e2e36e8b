/**
 * Who counts as failing. Source: markNodeAsFailingIfNeeded and clearNodeFailureIfNeeded of Redis
 * 7.0.
 */
import type { Cluster } from './cluster.ts'
import type { ClusterNode } from './cluster-node.ts'
import { sendFail } from './send.ts'

/**
 * Reports of failure are believed for this number of node time-outs; a primary that is back waits
 * as many.
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

/** A node that this one cannot reach fails as soon as a majority of the primaries cannot. */
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
 * It answers again. A primary whose slots nobody has taken over serves them again, after a while.
 */
export function clearFailure(cluster: Cluster, node: ClusterNode): void {
  const replaceable = node.isPrimary && node.slotCount > 0
  if (replaceable && cluster.nowMs - node.failedMs <= timeouts * cluster.timeoutMs) return
  node.failure = null
  cluster.stateIsOld = true
}
