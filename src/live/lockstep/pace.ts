/**
 * When steps of a schedule are taken in earnest. From the beginning of the plan's time on, no step
 * is taken sooner than it was there; what a busy machine took longer is made up for as soon as that
 * can be, so that what had not expired there has time left here.
 */
import type { ScheduleStep } from '../../contract/results/schedule.ts'

export class SchedulePace {
  /** A time of the schedule, and when it was here. */
  #anchor: { readonly atUs: number; readonly ms: number } | null = null
  /** The plan's time has begun. */
  began = false
  /** When the step that was taken last was due. */
  #stepUs = 0
  /**
   * By how much the run was behind its schedule at most, in milliseconds, since the plan's time
   * began.
   */
  lateMs = 0
  /** By Redis key: how late the run was when a command about it last changed data. */
  readonly #lateMsOf = new Map<string, number>()
  /**
   * The step taken last, if its command changed data: it was executed between then and the next
   * step.
   */
  #wrote: ScheduleStep | null = null

  constructor(
    private readonly clock: { nowMs(): number },
    /**
     * The schedule's time, in microseconds; later than a step's own where it was brought about
     * later.
     */
    public nowUs: number,
  ) {}

  /**
   * The step is taken. Until the plan's time begins, everything takes as long as processes need to
   * start.
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

  /** It is that time of the schedule, or later. */
  reach(atUs: number): void {
    this.nowUs = Math.max(this.nowUs, atUs)
  }

  /** How long until then, as time goes in the schedule; negative where the run is late. */
  leftMs(atUs: number): number {
    return this.#anchor === null ? 0 : this.#anchor.ms + (atUs - this.#anchor.atUs) / 1000 - this.clock.nowMs()
  }

  /**
   * How long until the step may be taken. A command that asks for Redis's time comes no sooner than
   * in the schedule after the last one that changed data of its key: a lease that Redis reckons by
   * its time, and by no expiry, has ended here, too.
   */
  leftMsTo(step: ScheduleStep): number {
    const lateMs = step.clocked ? (this.#lateMsOf.get(keyOf(step)) ?? 0) : 0
    return this.leftMs(step.atUs) + lateMs
  }

  /**
   * When it is this time of the schedule, in milliseconds of the clock; until the plan's time
   * begins, it is as late as the run.
   */
  get nowMs(): number {
    return this.#anchor === null ? this.clock.nowMs() : this.#anchor.ms + (this.nowUs - this.#anchor.atUs) / 1000
  }

  /** By how much the run is behind the step that was taken last, whatever made it wait. */
  get behindMs(): number {
    return this.#lateMsAt(this.#stepUs)
  }

  #lateMsAt(atUs: number): number {
    return Math.max(0, -this.leftMs(atUs))
  }

  /**
   * The schedule's time between two steps: it goes on as time does, and not beyond the next one.
   */
  betweenUs(next: ScheduleStep | undefined): number {
    if (next === undefined) return this.nowUs
    return Math.max(this.nowUs, next.atUs - Math.max(0, this.leftMs(next.atUs)) * 1000)
  }
}

/** The command's first key, or its label if it has none. Another store counts as one key. */
const keyOf = ({ step, store }: ScheduleStep): string =>
  store ?? (step.kind === 'pass' ? (step.key ?? step.label) : null) ?? ''
