/** Faults that strike at a fixed time, whatever consumers do then. */
import type { PlannedFault } from '../../contract/api/plan.ts'

export const atMs = (ms: number) => ({ when: { at: 'time' as const, ms } })

/** Delivers another copy of a message. `message`: its index, by default the first. */
export const copyAtMs = (ms: number, message = 0): PlannedFault => ({
  kind: 'duplicate-delivery',
  ...atMs(ms),
  message,
})
