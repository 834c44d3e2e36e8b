/** What a plan has at a time of its own, whatever consumers do then. */
import type { PlannedFault } from '../../contract/api/plan.ts'

export const atMs = (ms: number) => ({ when: { at: 'time' as const, ms } })

/** Another copy of a message: of the first one, unless another is named. */
export const copyAtMs = (ms: number, message = 0): PlannedFault => ({
  kind: 'duplicate-delivery',
  ...atMs(ms),
  message,
})
