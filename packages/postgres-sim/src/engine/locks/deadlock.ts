import type { SqlError } from '../sql-error.ts'
import { deadlockError } from './deadlock-error.ts'
import { findCircle, type SoftEdge } from './lock-circle.ts'
import type { LockHolder, LockManager } from './lock-manager.ts'
import { ordersWith } from './queue-orders.ts'

/**
 * Runs when deadlock_timeout of a session fires. A cycle that exists only because of the order of a
 * wait queue is resolved by reordering the queue. Otherwise the session is the victim, and its
 * error is returned.
 *
 * The search follows PostgreSQL 15 (src/backend/storage/lmgr/README, "The Deadlock Detection
 * Algorithm") because clients can observe which queue is reordered, and how.
 */
export function checkDeadlock(start: LockHolder, locks: LockManager): SqlError | null {
  const edges = edgesWithoutCircle(start, locks, [])
  if (!edges) return deadlockError(findCircle(start, locks, new Map())!.waits)
  for (const [lock, order] of ordersWith(edges)!) {
    lock.queue = order
    locks.serve(lock)
  }
  return null
}

/** A set of soft edges whose reversal removes every cycle; null if there is no such set. */
function edgesWithoutCircle(
  start: LockHolder,
  locks: LockManager,
  turned: readonly SoftEdge[],
): readonly SoftEdge[] | null {
  const next = edgesToTurn(start, locks, turned)
  if (!next) return null
  if (next.length === 0) return turned
  for (const edge of next) {
    const found = edgesWithoutCircle(start, locks, [...turned, edge])
    if (found) return found
  }
  return null
}

/**
 * The soft edges of a remaining cycle; empty if there is no cycle, null if no edge of it can be
 * reversed. A cycle through the session itself takes precedence.
 */
function edgesToTurn(start: LockHolder, locks: LockManager, turned: readonly SoftEdge[]): readonly SoftEdge[] | null {
  const orders = ordersWith(turned)
  if (!orders) return null
  let found: readonly SoftEdge[] = []
  const holders = [...turned.flatMap(({ waiter, blocker }) => [waiter.holder, blocker.holder]), start]
  for (const holder of holders) {
    const circle = findCircle(holder, locks, orders)
    if (circle?.soft.length === 0) return null
    if (circle) found = circle.soft
  }
  return found
}
