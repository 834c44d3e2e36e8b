/**
 * Decides whether a node considers the cluster available. Source: clusterUpdateState of Redis 7.0.
 */
import type { Cluster } from './cluster.ts'

/**
 * Milliseconds. A primary that starts, or returns from a minority partition, waits before it serves
 * commands, so that other nodes can inform it of changes first.
 */
const writableDelayMs = 2000
const leastRejoinMs = 500
const mostRejoinMs = 5000

export function updateState(cluster: Cluster): void {
  const { myself, nowMs, nodes, slots, server } = cluster
  cluster.stateIsOld = false
  cluster.firstUpdateMs ??= nowMs
  if (myself.isPrimary && cluster.state === 'fail' && nowMs - cluster.firstUpdateMs < writableDelayMs) return
  const serving = nodes.filter(({ isPrimary, slotCount }) => isPrimary && slotCount > 0)
  const covered = slots.unowned === 0 && nodes.every(({ failure, slotCount }) => slotCount === 0 || failure !== 'fail')
  cluster.size = serving.length
  const amongMinority = serving.filter(({ failure }) => failure === null).length < cluster.majority
  if (amongMinority) cluster.amongMinorityMs = nowMs
  const ok = !amongMinority && (covered || !server.config.clusterRequireFullCoverage)
  if (ok === (cluster.state === 'ok')) return
  const rejoinMs = Math.min(mostRejoinMs, Math.max(leastRejoinMs, cluster.timeoutMs))
  if (ok && myself.isPrimary && nowMs - cluster.amongMinorityMs < rejoinMs) return
  cluster.state = ok ? 'ok' : 'fail'
}
