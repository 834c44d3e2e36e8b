/** A clock that stands still until `pass`, with the timers that a simulated database sets by it. */
export class StillClock {
  nowUs = 1.7e15
  #timers: { readonly at: number; readonly work: () => void }[] = []

  /** @returns what takes it back */
  after(delayUs: number, work: () => void): () => void {
    const timer = { at: this.nowUs + delayUs, work }
    this.#timers.push(timer)
    return () => this.#drop(timer)
  }

  /** Timers of one moment go off in the order in which they were set. */
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

  /** Goes on to the next moment at which a timer goes off; false where none is set. */
  passToNext(): boolean {
    if (this.#timers.length === 0) return false
    this.pass(Math.min(...this.#timers.map(({ at }) => at)) - this.nowUs)
    return true
  }

  /** All timers are taken back. */
  clear(): void {
    this.#timers = []
  }

  #drop(timer: object): void {
    this.#timers = this.#timers.filter((one) => one !== timer)
  }
}
