/** Timers of a layer that wait when its messages are settled, and what of them the run has shown. */
import type { Kernel } from '../kernel/kernel.ts'
import type { VirtualProcess } from '../runtime/process.ts'

/** No run goes on for a timer that is longer. */
const seldomMs = 60_000
/** What a timer that went off last asks of Redis is over by then. */
const afterwardsUs = 2_000_000

export class LayersTimers {
  /** Null before all messages are settled; 0 where there was nothing to go on for. */
  #goesOnUntilUs: number | null = null

  constructor(
    private readonly kernel: Pick<Kernel<VirtualProcess>, 'nowUs' | 'schedule' | 'wentOffMs'>,
    private readonly processes: () => readonly Pick<VirtualProcess, 'waitingTimers' | 'sleepsForMs'>[],
  ) {}

  /**
   * `seldom`: one of a minute or more, or one that has shown nothing yet where the run could not go on for it. Where it did, one that
   * waits and has not gone off was cleared and started again meanwhile, as what watches over a reply is.
   */
  get waits(): { readonly any: boolean; readonly seldom: boolean } {
    const waiting = this.#waitingMs
    const { nowUs, wentOffMs } = this.kernel
    const isShown = (ms: number) => (this.wentOn && nowUs >= this.#goesOnUntilUs!) || wentOffMs.has(ms)
    return { any: waiting.length > 0, seldom: waiting.some((ms) => ms >= seldomMs || !isShown(ms)) }
  }

  get #waitingMs(): number[] {
    return this.processes().flatMap(({ waitingTimers, sleepsForMs }) => {
      const timers = [...waitingTimers].map(({ delayMs }) => delayMs)
      return sleepsForMs === null ? timers : [...timers, sleepsForMs]
    })
  }

  /**
   * Whether a settled run goes on: where keys stay for ever, shorter timers that have shown nothing yet go off once, since they may
   * be there to delete them. `keysStay` is asked once.
   */
  goesOn(keysStay: () => boolean, timeLimitUs: number): boolean {
    this.#goesOnUntilUs ??= this.#until(keysStay, timeLimitUs)
    return this.kernel.nowUs < this.#goesOnUntilUs
  }

  #until(keysStay: () => boolean, timeLimitUs: number): number {
    const { wentOffMs, nowUs } = this.kernel
    const unshownMs = this.#waitingMs.filter((ms) => ms < seldomMs && !wentOffMs.has(ms))
    const inUs = Math.max(0, ...unshownMs) * 1000 + afterwardsUs
    if (unshownMs.length === 0 || nowUs + inUs > timeLimitUs || !keysStay()) return 0
    this.kernel.schedule(inUs, null, () => {})
    return nowUs + inUs
  }

  /** Messages were settled before the run ended, whatever ended it. */
  get wentOn(): boolean {
    return this.#goesOnUntilUs !== null && this.#goesOnUntilUs > 0
  }
}
