import type { RunHeader } from '../contract/api/history.ts'
import type { EventOf } from '../contract/api/history-index.ts'
import type { Plan, PlannedFault } from '../contract/api/plan.ts'

/**
 * The parameters of a fault that struck, from the plan in the header; empty if the header has no
 * plan.
 */
export function planned({ fault, index }: EventOf<'fault-struck'>, header: RunHeader): Partial<PlannedFault> {
  const plan = header.plan as unknown as Plan | undefined
  const found = plan?.faults[index]
  return found?.kind === fault ? found : {}
}
