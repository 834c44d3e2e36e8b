/**
 * The timer of a Sentinel. A tick that would find nothing to do is passed over, where the
 * environment has a clock that never jumps: ticks keep their times, whether or not they are played,
 * and none is passed over that comes after `dueMs`. Whatever may move that moment forward
 * (something came, somebody asked, the clock is set, the process stands still) has to say so: then
 * the very next tick is played.
 */
import type { RedisEnvironment } from '../environment.ts'
import type { Desync } from './desync.ts'

/** Without anything to do, a Sentinel looks around this often. */
const longestUs = 10_000_000

export class Ticker {
  /**
   * The last tick that has passed, played or not, and the next one, on the clock that never jumps.
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
    /** When a tick will have something to do, in milliseconds of the server's clock. */
    private readonly dueMs: () => number,
  ) {}

  start(delayUs: number): void {
    const { environment } = this
    this.playedUs = this.passedUs = environment.monotonicUs?.() ?? 0
    this.nextUs = this.passedUs + delayUs
    this.plan(this.nextUs, delayUs)
  }

  /** How long the ticks took that were passed over since the last one that was played. */
  get skippedMs(): number {
    return Math.floor((this.passedUs - this.playedUs) / 1000)
  }

  /** The moment in question may have come nearer. */
  look(): void {
    const { environment } = this
    if (environment.monotonicUs === undefined || this.plannedUs === this.nextUs) return
    const nowUs = environment.monotonicUs()
    this.pass(nowUs)
    // Not at once: a Sentinel acts when its timer fires, and at no other time.
    const untilDueUs = Math.min(this.dueMs() * 1000 - environment.nowUs(), longestUs)
    const pace = this.desync.clone()
    let atUs = this.nextUs
    while (atUs - nowUs < untilDueUs) atUs += pace.tickMs() * 1000
    if (atUs < this.plannedUs) this.plan(atUs, atUs - nowUs)
  }

  /** The next tick is to be played, whatever is due. */
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
