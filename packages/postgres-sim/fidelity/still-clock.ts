/** A clock that only `pass` advances, with the timers of a simulated database. */
export class StillClock {
  nowUs = 1.7e15
  #timers: { readonly at: number; readonly work: () => void }[] = []

  /** @returns a function that cancels the timer */
  after(delayUs: number, work: () => void): () => void {
    const timer = { at: this.nowUs + delayUs, work }
    this.#timers.push(timer)
    return () => this.#drop(timer)
  }

  /**
   * Advances the clock and runs the timers that are due. Timers with the same time run in the order
   * in which they were set.
   */
  pass(us: number): void {
    const end = this.nowUs + us
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      this.#drop(next)
      this.nowUs = next.at
      next.work()
    }
    this.nowUs = end
  }

  /** Advances to the time of the next timer. Returns false if no timer is set. */
  passToNext(): boolean {
    if (this.#timers.length === 0) return false
    this.pass(Math.min(...this.#timers.map(({ at }) => at)) - this.nowUs)
    return true
  }

  /** Cancels all timers. */
  clear(): void {
    this.#timers = []
  }

  #drop(timer: object): void {
    this.#timers = this.#timers.filter((one) => one !== timer)
  }
}
