/**
 * Plans of scenarios with several servers, made for live runs: a failover takes real seconds,
 * whatever the time scale (a Sentinel notices, asks the others, and elects; a primary that was
 * replaced is not made a replica for ten more). By scenario, and by the number of the run.
 */
import type { Plan } from '../../contract/api/plan.ts'
import type { Scenario } from '../../contract/api/scenario.ts'
import type { Shape } from '../../contract/api/store.ts'
import { clusterPlans } from './cluster-plans.ts'
import { sentinelPlans } from './sentinel-plans.ts'

export interface FailoverPlan {
  readonly plan: Plan
  /** Those that a run of it reaches, whatever the layer. */
  readonly goals: readonly string[]
}

export const failoverPlans: { readonly [scenario: string]: readonly FailoverPlan[] } = {
  ...sentinelPlans,
  'cluster-failover': clusterPlans,
}

/** Of runs of a seed. */
export function shapeOf({ id, shape }: Pick<Scenario, 'id' | 'shape'>): Shape {
  const made = failoverPlans[id]
  if (made === undefined) return shape === 'independent' ? shape : 'single'
  return made === clusterPlans ? 'cluster' : 'sentinel'
}
