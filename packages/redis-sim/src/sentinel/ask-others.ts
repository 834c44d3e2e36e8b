import type { Reply } from '../resp/reply.ts'
import { ask } from './ask.ts'
import type { OtherSentinel, Primary } from './instance.ts'
import type { Sentinel } from './sentinel.ts'

/**
 * Asks the other Sentinels every second whether they also consider the primary down, and, during a
 * failover, for their votes. Source: sentinelAskMasterStateToOtherSentinels of Redis 7.0.
 */
export function askOthers(sentinel: Sentinel, primary: Primary, atOnce: boolean): void {
  const { nowMs, periods } = sentinel
  for (const other of primary.sentinels.values()) {
    const elapsedMs = nowMs - other.lastMasterDownReplyMs
    if (elapsedMs > periods.askMs * 5) {
      other.masterDown = false
      other.leader = null
    }
    if (!primary.sDown || other.link.disconnected) continue
    if (!atOnce && elapsedMs < periods.askMs) continue
    const { host, port } = primary.address
    const candidate = primary.failoverState === 'none' ? '*' : sentinel.id
    const words = ['SENTINEL', 'is-master-down-by-addr', host, port, sentinel.epoch, candidate]
    ask(other, other.link.commands!, words, (reply) => receive(sentinel, other, reply))
  }
}

function receive(sentinel: Sentinel, other: OtherSentinel, reply: Reply): void {
  if (!Array.isArray(reply) || reply.length !== 3) return
  const [isDown, leader, epoch] = reply as readonly Reply[]
  if (typeof isDown !== 'number' || typeof leader !== 'string' || typeof epoch !== 'number') return
  other.lastMasterDownReplyMs = sentinel.nowMs
  other.masterDown = isDown === 1
  if (leader === '*') return
  other.leader = leader
  other.leaderEpoch = epoch
}
