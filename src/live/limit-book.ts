/** The time limits that the layer has set itself so far, and faults that last about as long as one of them. */
import type { PlannedFault } from '../contract/plan.ts'
import { Limits } from '../sim/world/limits.ts'

/** A fault that lasts longer leaves a run no time to come to rest. */
const longestMs = 5_000

export class LimitBook extends Limits {
  override note(ms: number): void {
    if (ms <= longestMs) super.note(ms)
  }

  /** A duration that was drawn as "near a limit of the layer" is fixed when the fault strikes. */
  fixed(fault: PlannedFault): PlannedFault {
    const { near } = fault
    if (near === undefined) return fault
    const ms = Math.max(1, this.at(near.limit) + near.byMs)
    return fault.healAfterMs === undefined && fault.extraMs !== undefined
      ? { ...fault, extraMs: ms }
      : { ...fault, healAfterMs: ms }
  }
}
