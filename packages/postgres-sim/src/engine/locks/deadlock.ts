import type { SqlError } from '../sql-error.ts'
import { deadlockError } from './deadlock-error.ts'
import { findCircle, type SoftEdge } from './lock-circle.ts'
import type { LockHolder, LockManager } from './lock-manager.ts'
import { ordersWith } from './queue-orders.ts'

/**
 * What a session finds when its deadlock_timeout fires. A circle in which somebody waits only
 * because of a queue's order is undone by another order; of any other the session is the victim.
 * The search is that of PostgreSQL 15 (src/backend/storage/lmgr/README, "The Deadlock Detection
 * Algorithm"): which queue is changed, and how, is to be seen.
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

/** Those to be turned round so that no circle is left; null where there are none such. */
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
 * Of a circle that is there even so: empty where there is none, null where none of its edges can be
 * turned. The session's own circle counts first.
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
