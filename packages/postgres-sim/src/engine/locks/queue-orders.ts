import type { SoftEdge } from './lock-circle.ts'
import type { Lock, Waiting } from './lock-manager.ts'

/**
 * For the lock of each edge, a queue order in which each waiter precedes its blocker; null if there
 * is no such order. The lock of the last edge comes first.
 */
export function ordersWith(edges: readonly SoftEdge[]): Map<Lock, readonly Waiting[]> | null {
  const orders = new Map<Lock, readonly Waiting[]>()
  for (const { waiter } of edges.toReversed()) {
    const { lock } = waiter
    if (orders.has(lock)) continue
    const order = ordered(
      lock.queue,
      edges.filter((edge) => edge.waiter.lock === lock),
    )
    if (!order) return null
    orders.set(lock, order)
  }
  return orders
}

/**
 * Builds the order from its end: repeatedly takes the last request that need not precede any
 * remaining request.
 */
function ordered(queue: readonly Waiting[], edges: readonly SoftEdge[]): readonly Waiting[] | null {
  const left = [...queue]
  const order: Waiting[] = []
  while (left.length > 0) {
    const at = left.findLastIndex(
      (one) => !edges.some(({ waiter, blocker }) => waiter === one && left.includes(blocker)),
    )
    if (at < 0) return null
    order.unshift(...left.splice(at, 1))
  }
  return order
}
