/**
 * The timer of a Sentinel. If the environment has a clock that never jumps, ticks without work are
 * skipped. Skipping does not change the times of the other ticks, and the first tick after `dueMs`
 * is never skipped. Everything that may make a tick due earlier (input, a command, a clock change,
 * a pause of the process) must call `recheckTimers`. The very next tick is then executed.
 */
import type { RedisEnvironment } from '../environment.ts'
import type { Desync } from './desync.ts'

/** Maximum time between two executed ticks, in microseconds. */
const longestUs = 10_000_000

export class Ticker {
  /**
   * Times of the last tick, executed or skipped, and of the next tick, on the clock that never
   * jumps.
   */
  private passedUs = 0
  private nextUs = 0
  private playedUs = 0
  private plannedUs = Number.POSITIVE_INFINITY
  private cancel = () => {}

  constructor(
    private readonly environment: RedisEnvironment,
    private readonly after: (delayUs: number, callback: () => void) => () => void,
    private readonly desync: Desync,
    private readonly tick: () => void,
    /** The time at which a tick will have work, in milliseconds of the server's clock. */
    private readonly dueMs: () => number,
  ) {}

  start(delayUs: number): void {
    const { environment } = this
    this.playedUs = this.passedUs = environment.monotonicUs?.() ?? 0
    this.nextUs = this.passedUs + delayUs
    this.plan(this.nextUs, delayUs)
  }

  /**
   * Milliseconds between the last executed tick and the last skipped tick; 0 if no tick was skipped
   * since.
   */
  get skippedMs(): number {
    return Math.floor((this.passedUs - this.playedUs) / 1000)
  }

  /** Plans the next tick that is due. */
  look(): void {
    const { environment } = this
    if (environment.monotonicUs === undefined || this.plannedUs === this.nextUs) return
    const nowUs = environment.monotonicUs()
    this.pass(nowUs)
    // Due work is done at a tick, not immediately, because a Sentinel acts only when its timer
    // fires.
    const untilDueUs = Math.min(this.dueMs() * 1000 - environment.nowUs(), longestUs)
    const pace = this.desync.clone()
    let atUs = this.nextUs
    while (atUs - nowUs < untilDueUs) atUs += pace.tickMs() * 1000
    if (atUs < this.plannedUs) this.plan(atUs, atUs - nowUs)
  }

  /** Executes the next tick even if nothing is due. */
  recheckTimers(): void {
    const { environment } = this
    if (environment.monotonicUs === undefined || this.plannedUs === this.nextUs) return
    const nowUs = environment.monotonicUs()
    this.pass(nowUs)
    if (this.nextUs < this.plannedUs) this.plan(this.nextUs, this.nextUs - nowUs)
  }

  private pass(nowUs: number): void {
    while (this.nextUs <= nowUs && this.nextUs < this.plannedUs) {
      this.passedUs = this.nextUs
      this.nextUs += this.desync.tickMs() * 1000
    }
  }

  private plan(atUs: number, delayUs: number): void {
    this.cancel()
    this.plannedUs = atUs
    this.cancel = this.after(delayUs, () => this.play())
  }

  private play(): void {
    const { environment } = this
    if (environment.monotonicUs !== undefined) this.pass(this.plannedUs - 1)
    this.tick()
    const delayUs = this.desync.tickMs() * 1000
    const nowUs = environment.monotonicUs?.() ?? 0
    this.playedUs = this.passedUs = nowUs
    this.nextUs = nowUs + delayUs
    this.plannedUs = Number.POSITIVE_INFINITY
    if (environment.monotonicUs === undefined) this.plan(this.nextUs, delayUs)
    else this.look()
  }
}
