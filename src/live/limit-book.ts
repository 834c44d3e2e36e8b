/** The time limits that the layer has set itself so far, but for those that no live run has the time to wait for. */
import { Limits } from '../run/limits.ts'

/** A fault that lasts longer leaves a run no time to come to rest. */
const longestMs = 5_000

export class LimitBook extends Limits {
  override note(ms: number): void {
    if (ms <= longestMs) super.note(ms)
  }
}
