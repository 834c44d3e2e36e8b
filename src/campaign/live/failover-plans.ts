/**
 * Plans with several servers that were made for live runs, by scenario and run number. A failover
 * takes real seconds, whatever the time scale: a Sentinel detects the failure, asks the other
 * Sentinels, and starts an election; a replaced primary becomes a replica ten seconds later.
 */
import type { Plan } from '../../contract/api/plan.ts'
import type { Scenario } from '../../contract/api/scenario.ts'
import type { Shape } from '../../contract/api/store.ts'
import { clusterPlans } from './cluster-plans.ts'
import { sentinelPlans } from './sentinel-plans.ts'

export interface FailoverPlan {
  readonly plan: Plan
  /** Goals that a run of the plan reaches with every layer. */
  readonly goals: readonly string[]
}

export const failoverPlans: { readonly [scenario: string]: readonly FailoverPlan[] } = {
  ...sentinelPlans,
  'cluster-failover': clusterPlans,
}

/** The deployment for drawn runs of the scenario. */
export function shapeOf({ id, shape }: Pick<Scenario, 'id' | 'shape'>): Shape {
  const made = failoverPlans[id]
  if (made === undefined) return shape === 'independent' ? shape : 'single'
  return made === clusterPlans ? 'cluster' : 'sentinel'
}
