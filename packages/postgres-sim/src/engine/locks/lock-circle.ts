import type { Lock, LockHolder, LockManager, Waiting } from './lock-manager.ts'
import { conflict } from './modes.ts'

/**
 * A wait that exists only because of the queue order. It ends if the waiter is put in front of its
 * blocker.
 */
export interface SoftEdge {
  readonly waiter: Waiting
  readonly blocker: Waiting
}

export interface Circle {
  readonly waits: readonly Waiting[]
  /** The soft edges of the cycle. The edges farthest from the start of the search come first. */
  readonly soft: readonly SoftEdge[]
}

/** Proposed queue orders of some locks. */
export type Orders = ReadonlyMap<Lock, readonly Waiting[]>

/**
 * Finds a cycle of waits that starts and ends at this session, with the proposed queue orders. Lock
 * holders are visited before the waiters ahead in the queue.
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
