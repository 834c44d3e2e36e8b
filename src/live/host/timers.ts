/**
 * The harness's clock and timers in a live run. The delays of timers show whether the machine is
 * fast enough.
 */
export class LiveTimers {
  readonly #open = new Set<NodeJS.Timeout>()
  readonly #startedMs = performance.now()
  /** The longest delay so far, of the harness's timers or of a consumer's timers. */
  worstLate = { ms: 0, whose: 'the harness' }

  /** `failed`: called with errors that a timer's work throws or rejects with. */
  constructor(private readonly failed: (error: unknown) => void) {
    this.#watch()
  }

  nowMs(): number {
    return performance.now() - this.#startedMs
  }

  wallMs(): number {
    return Date.now()
  }

  nowUs(): number {
    return Math.round(this.nowMs() * 1000)
  }

  after(delayMs: number, work: () => void | Promise<void>): () => void {
    const dueMs = this.nowMs() + delayMs
    const timer = setTimeout(() => {
      this.#open.delete(timer)
      this.late(this.nowMs() - dueMs, 'the harness')
      try {
        work()?.catch(this.failed)
      } catch (error) {
        this.failed(error)
      }
    }, delayMs)
    this.#open.add(timer)
    return () => {
      clearTimeout(timer)
      this.#open.delete(timer)
    }
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }

  late(ms: number, whose: string): void {
    if (ms > this.worstLate.ms) this.worstLate = { ms, whose }
  }

  /** Measures the delay of a timer every 25 ms, independently of other timers. */
  #watch(): void {
    this.after(25, () => this.#watch())
  }

  stop(): void {
    for (const timer of this.#open) clearTimeout(timer)
    this.#open.clear()
  }
}
