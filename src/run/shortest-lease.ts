import type { Implementation } from '../contract/api/implementation.ts'
import type { Plan } from '../contract/api/plan.ts'
import { exactText } from '../contract/results/time-text.ts'

/** The plan, with its lease raised to the minimum lease of the layer. */
export function withLeaseFor({ minLeaseMs = 0 }: Pick<Implementation, 'minLeaseMs'>, plan: Plan): Plan {
  return plan.leaseMs >= minLeaseMs ? plan : { ...plan, leaseMs: minLeaseMs }
}

/**
 * The note for a verdict about a layer with a minimum lease; null if the layer accepts any lease.
 */
export function shortestLeaseNote({ id, minLeaseMs }: Pick<Implementation, 'id' | 'minLeaseMs'>): string | null {
  if (minLeaseMs === undefined) return null
  return `${id} gets leases of at least ${exactText(minLeaseMs)} (minLeaseMs), also if a shorter one was drawn`
}
