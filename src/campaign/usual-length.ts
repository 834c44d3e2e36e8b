/** Cuts a run that takes many more events than others: a layer that polls repeats itself. */
import type { WorldRequest } from './types.ts'

/**
 * The number of events within which a run usually comes to rest. Sentinels and Cluster nodes need
 * more.
 */
export function usualEvents({ plan, implementation }: Pick<WorldRequest, 'plan' | 'implementation'>): number {
  if (implementation.elsewhere) return Number.POSITIVE_INFINITY
  return plan.redis === undefined ? 10_000 : 25_000
}

/** The run, cut after the usual number of events. A run of real processes is never cut. */
export function atUsualLength<Asked extends WorldRequest>(request: Asked): Asked {
  const events = usualEvents(request)
  return events === Number.POSITIVE_INFINITY ? request : { ...request, events }
}
