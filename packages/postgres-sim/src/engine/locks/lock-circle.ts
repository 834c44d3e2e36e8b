import type { Lock, LockHolder, LockManager, Waiting } from './lock-manager.ts'
import { conflict } from './modes.ts'

/**
 * A wait that is there because of the queue's order alone: undone where the one that waits comes
 * before its blocker.
 */
export interface SoftEdge {
  readonly waiter: Waiting
  readonly blocker: Waiting
}

export interface Circle {
  readonly waits: readonly Waiting[]
  /** Those farthest from where it was looked for come first. */
  readonly soft: readonly SoftEdge[]
}

/** How the queues of some locks would be. */
export type Orders = ReadonlyMap<Lock, readonly Waiting[]>

/**
 * The waits that lead from a session back to itself, if queues were in those orders; holders are
 * asked before those ahead in the queue.
 */
export function findCircle(start: LockHolder, locks: LockManager, orders: Orders): Circle | null {
  const seen = new Set<LockHolder>()
  const waits: Waiting[] = []
  const soft: SoftEdge[] = []
  const leadsBack = (holder: LockHolder): boolean => {
    if (seen.has(holder)) return holder === start
    seen.add(holder)
    const { waiting } = holder
    if (!waiting) return false
    const closed = locks.blockedByHolders(waiting).some(leadsBack) || softly(waiting)
    if (closed) waits.unshift(waiting)
    return closed
  }
  const softly = (waiting: Waiting): boolean => {
    const queue = orders.get(waiting.lock) ?? waiting.lock.queue
    for (const ahead of queue.slice(0, queue.indexOf(waiting))) {
      if (!conflict(ahead.mode, waiting.mode) || !leadsBack(ahead.holder)) continue
      soft.push({ waiter: waiting, blocker: ahead })
      return true
    }
    return false
  }
  return leadsBack(start) ? { waits, soft } : null
}
