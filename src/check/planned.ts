import type { RunHeader } from '../contract/api/history.ts'
import type { EventOf } from '../contract/api/history-index.ts'
import type { Plan, PlannedFault } from '../contract/api/plan.ts'

/**
 * The parameters of a fault that struck, as the plan in the header has them; none where the header
 * has no plan.
 */
export function planned({ fault, index }: EventOf<'fault-struck'>, header: RunHeader): Partial<PlannedFault> {
  const plan = header.plan as unknown as Plan | undefined
  const found = plan?.faults[index]
  return found?.kind === fault ? found : {}
}
