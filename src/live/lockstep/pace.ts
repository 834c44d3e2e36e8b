/**
 * Decides when the steps of a schedule are taken in real time. Once the plan's time has begun, no
 * step is taken earlier than in the schedule. Delays by a busy machine are compensated as soon as
 * possible, so that keys that had time left in the schedule also have time left in this run.
 */
import type { ScheduleStep } from '../../contract/results/schedule.ts'

export class SchedulePace {
  /** A time of the schedule, and the real time at which it was reached. */
  #anchor: { readonly atUs: number; readonly ms: number } | null = null
  /** True once the plan's time has begun. */
  began = false
  /** When the step that was taken last was due. */
  #stepUs = 0
  /** The greatest lateness of the run since the plan's time began, in milliseconds. */
  lateMs = 0
  /** For each Redis key, how late the run was when a command last changed the key's data. */
  readonly #lateMsOf = new Map<string, number>()
  /**
   * The last step if its command changed data. The command was executed between that step and the
   * next.
   */
  #wrote: ScheduleStep | null = null

  constructor(
    private readonly clock: { nowMs(): number },
    /**
     * The schedule's time in microseconds. It is later than the time of the last step if that step
     * came late.
     */
    public nowUs: number,
  ) {}

  /**
   * Called when the step is taken. Until the plan's time begins, everything takes as long as the
   * processes need to start.
   */
  goOn(step: ScheduleStep): void {
    const { atUs } = step
    if (this.began) this.lateMs = Math.max(this.lateMs, this.#lateMsAt(atUs))
    else this.#anchor = { atUs, ms: this.clock.nowMs() }
    if (this.#wrote !== null) this.#lateMsOf.set(keyOf(this.#wrote), this.#lateMsAt(this.#wrote.atUs))
    this.#wrote = step.wrote ? step : null
    if (step.step.kind === 'begin') this.began = true
    this.#stepUs = atUs
    this.reach(atUs)
  }

  /** Advances to that time of the schedule, unless the time is later already. */
  reach(atUs: number): void {
    this.nowUs = Math.max(this.nowUs, atUs)
  }

  /**
   * The real time left until that time of the schedule, in milliseconds; negative if the run is
   * late.
   */
  leftMs(atUs: number): number {
    return this.#anchor === null ? 0 : this.#anchor.ms + (atUs - this.#anchor.atUs) / 1000 - this.clock.nowMs()
  }

  /**
   * The time left until the step may be taken. A command that uses Redis's clock is not executed
   * sooner after the last write to its key than in the schedule. So a lease that a layer computes
   * from Redis's clock, without an expiry, has ended in this run, too.
   */
  leftMsTo(step: ScheduleStep): number {
    const lateMs = step.clocked ? (this.#lateMsOf.get(keyOf(step)) ?? 0) : 0
    return this.leftMs(step.atUs) + lateMs
  }

  /**
   * The time of the real clock in milliseconds that corresponds to the current time of the
   * schedule. Until the plan's time begins, it is as late as the run.
   */
  get nowMs(): number {
    return this.#anchor === null ? this.clock.nowMs() : this.#anchor.ms + (this.nowUs - this.#anchor.atUs) / 1000
  }

  /** How far the run is behind the step that was taken last, for whatever reason. */
  get behindMs(): number {
    return this.#lateMsAt(this.#stepUs)
  }

  #lateMsAt(atUs: number): number {
    return Math.max(0, -this.leftMs(atUs))
  }

  /** The schedule's time between two steps, which advances in real time up to the next step. */
  betweenUs(next: ScheduleStep | undefined): number {
    if (next === undefined) return this.nowUs
    return Math.max(this.nowUs, next.atUs - Math.max(0, this.leftMs(next.atUs)) * 1000)
  }
}

/**
 * The key under which lateness is noted: the command's first key, or its label if it has none.
 * Another store counts as one key.
 */
const keyOf = ({ step, store }: ScheduleStep): string =>
  store ?? (step.kind === 'pass' ? (step.key ?? step.label) : null) ?? ''
