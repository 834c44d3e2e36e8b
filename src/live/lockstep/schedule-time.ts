/**
 * The time on the consumers' machines in a run that follows a schedule. It advances from step to
 * step.
 */
import type { TimeOfDay } from '../host/clocks.ts'
import type { SchedulePace } from './pace.ts'

export class ScheduleTime implements TimeOfDay {
  constructor(
    private readonly pace: Pick<SchedulePace, 'nowMs' | 'nowUs'>,
    /** The milliseconds since the epoch when the pace's clock was at 0. */
    private readonly epochOfClockMs: number,
  ) {}

  /** The current milliseconds of the schedule. */
  nowMs(): number {
    return this.pace.nowUs / 1000
  }

  /**
   * The milliseconds since the epoch at the schedule's 0. A whole number, so that a clock shows the
   * schedule's fractions.
   */
  get epochMs(): number {
    return Math.floor(this.epochOfClockMs + this.pace.nowMs - this.nowMs())
  }

  wallMs(): number {
    return this.epochMs + this.nowMs()
  }

  /** Never runs the work, because nothing happens between two steps. */
  after(): () => void {
    return () => {}
  }
}
