import type { Primary, Replica } from './instance.ts'
import type { Sentinel } from './sentinel.ts'

/**
 * The replica to promote. Candidates are up, have a recent INFO, and were not disconnected for too
 * long. The lowest priority wins, then the highest offset, then the smallest run id. Source:
 * sentinelSelectSlave of Redis 7.0.
 */
export function selectReplica(sentinel: Sentinel, primary: Primary): Replica | null {
  const { nowMs } = sentinel
  const downMs = primary.sDown ? nowMs - primary.sDownSinceMs : 0
  const mayBeCutOffMs = downMs + primary.downAfterMs * 10
  const good = [...primary.replicas.values()].filter(
    (replica) => isKnown(sentinel, replica) && replica.priority !== 0 && replica.linkDownMs <= mayBeCutOffMs,
  )
  return good.sort(byMerit)[0] ?? null
}

/**
 * True if the replica answers and its INFO is recent. INFO is requested every second while the
 * primary is down.
 */
function isKnown({ nowMs, periods }: Sentinel, { sDown, link, infoMs, primary }: Replica): boolean {
  if (sDown || link.disconnected || nowMs - link.lastAliveMs > periods.pingMs * 5) return false
  return nowMs - infoMs <= (primary.sDown ? periods.pingMs * 5 : periods.infoMs * 3)
}

function byMerit(a: Replica, b: Replica): number {
  if (a.priority !== b.priority) return a.priority - b.priority
  if (a.offset !== b.offset) return b.offset - a.offset
  if (a.runId === null || b.runId === null) return Number(a.runId === null) - Number(b.runId === null)
  return a.runId < b.runId ? -1 : 1
}
