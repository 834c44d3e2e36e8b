/**
 * The time that consumers' machines have in a run that follows a schedule: it goes on from step to
 * step.
 */
import type { TimeOfDay } from '../host/clocks.ts'
import type { SchedulePace } from './pace.ts'

export class ScheduleTime implements TimeOfDay {
  constructor(
    private readonly pace: Pick<SchedulePace, 'nowMs' | 'nowUs'>,
    /** Milliseconds since the epoch when the pace's clock was at 0. */
    private readonly epochOfClockMs: number,
  ) {}

  /** Of the schedule. */
  nowMs(): number {
    return this.pace.nowUs / 1000
  }

  /**
   * Since the epoch, at the schedule's 0: whole milliseconds, so that a clock has the schedule's
   * own fractions.
   */
  get epochMs(): number {
    return Math.floor(this.epochOfClockMs + this.pace.nowMs - this.nowMs())
  }

  wallMs(): number {
    return this.epochMs + this.nowMs()
  }

  /** Nothing happens between two steps. */
  after(): () => void {
    return () => {}
  }
}
