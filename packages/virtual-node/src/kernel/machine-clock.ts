import { assert } from '../assert.ts'

/**
 * The clocks of one machine: a wall clock that may be off, drift, step or stand still, and a
 * monotonic clock that only drifts. All values are integer microseconds of virtual time. A running
 * timer keeps the pace of its start when a drift begins or ends. Not simulated: the slow slewing of
 * NTP (`adjtime`), because a drift that begins and ends has the same effect.
 */
export class MachineClock {
  #driftPpm = 0
  #frozen = false
  /** The values of both clocks at `#sinceUs` of the world's time. */
  #sinceUs = 0
  #wallUs: number
  #monotonicUs = 0

  constructor(
    private readonly worldUs: () => number,
    epochUs: number,
  ) {
    this.#wallUs = epochUs
  }

  /** Microseconds since the Unix epoch, by this machine's clock. */
  wallUs(): number {
    return this.#frozen ? this.#wallUs : this.#wallUs + this.#elapsedUs()
  }

  /** A clock that never steps and never stands still. */
  monotonicUs(): number {
    return this.#monotonicUs + this.#elapsedUs()
  }

  /** The world's time in which this machine's clock advances by `localUs`. */
  worldDelayUs(localUs: number): number {
    return this.#driftPpm === 0 ? localUs : Math.ceil((localUs * 1_000_000) / (1_000_000 + this.#driftPpm))
  }

  get drifts(): boolean {
    return this.#driftPpm !== 0
  }

  get frozen(): boolean {
    return this.#frozen
  }

  /** Microseconds by which the wall clock advances in a second of the world's time. */
  get pace(): number {
    return this.#frozen ? 0 : 1_000_000 + this.#driftPpm
  }

  /** Steps the wall clock like `settimeofday`: forwards, or backwards if negative. */
  step(byUs: number): void {
    assert(Number.isInteger(byUs), 'a clock steps by whole microseconds')
    this.#settle()
    this.#wallUs += byUs
  }

  /** Makes both clocks fast by `ppm` parts per million, or slow if negative; above -1,000,000. */
  drift(ppm: number): void {
    assert(ppm > -1_000_000, 'a clock that drifts goes forward')
    this.#settle()
    this.#driftPpm = ppm
  }

  /** Stops the wall clock, or lets it run again from where it stopped. */
  freeze(frozen: boolean): void {
    this.#settle()
    this.#frozen = frozen
  }

  #elapsedUs(): number {
    const elapsed = this.worldUs() - this.#sinceUs
    assert(elapsed >= 0, 'a clock is never asked about a time before its last change')
    return this.#driftPpm === 0 ? elapsed : elapsed + Math.trunc((elapsed * this.#driftPpm) / 1_000_000)
  }

  #settle(): void {
    const elapsed = this.#elapsedUs()
    if (!this.#frozen) this.#wallUs += elapsed
    this.#monotonicUs += elapsed
    this.#sinceUs = this.worldUs()
  }
}
