/**
 * Timers of a layer that wait when its messages are settled, and what of them the run has shown.
 */

import type { Kernel } from 'virtual-node/kernel'
import type { VirtualProcess, WaitingTimer } from 'virtual-node/runtime'
import type { HistoryEvent } from '../../contract/api/history.ts'

/** No run goes on for a timer that is longer. */
const seldomMs = 60_000
/** What a timer that went off asks of Redis is over by then. */
const afterwardsUs = 2_000_000

type Sleeper = { readonly waitingTimers: Iterable<WaitingTimer> } & Pick<VirtualProcess, 'sleep'>

export class LayersTimers {
  /** Null before all messages are settled; 0 where there was nothing to go on for. */
  #goesOnUntilUs: number | null = null
  #settledAt = 0

  constructor(
    private readonly kernel: Pick<Kernel<VirtualProcess>, 'nowUs' | 'schedule' | 'wentOffUs'>,
    private readonly processes: () => readonly Sleeper[],
    private readonly events: readonly Pick<HistoryEvent, 'type'>[],
  ) {}

  /**
   * `seldom`: one of a minute or more, or one that has shown nothing yet where the run could not go
   * on for it. Where it did, one that waits and has not gone off was cleared and started again
   * meanwhile, as what watches over a reply is.
   */
  get waits(): { readonly any: boolean; readonly seldom: boolean } {
    const waiting = this.#waiting
    const hasShownAll = this.wentOn && this.kernel.nowUs >= this.#goesOnUntilUs!
    const isSeldom = (timer: WaitingTimer) => timer.delayMs >= seldomMs || !(hasShownAll || this.#hasShown(timer))
    return { any: waiting.length > 0, seldom: waiting.some(isSeldom) }
  }

  /** An immediate waits for nothing. */
  get #waiting(): WaitingTimer[] {
    return this.processes()
      .flatMap(({ waitingTimers, sleep }) => [...waitingTimers, ...(sleep === null ? [] : [sleep])])
      .filter(({ delayMs }) => delayMs > 0)
  }

  #hasShown({ delayMs }: WaitingTimer): boolean {
    const wentOffUs = this.kernel.wentOffUs.get(delayMs)
    return wentOffUs !== undefined && wentOffUs + afterwardsUs <= this.kernel.nowUs
  }

  /**
   * Whether a settled run goes on: where keys stay for ever, shorter timers that have shown nothing
   * yet go off once, since they may be there to delete them. `keysStay` is asked once.
   */
  goesOn(keysStay: () => boolean, timeLimitUs: number): boolean {
    this.#goesOnUntilUs ??= this.#until(keysStay, timeLimitUs)
    return this.kernel.nowUs < this.#goesOnUntilUs
  }

  #until(keysStay: () => boolean, timeLimitUs: number): number {
    const { nowUs, wentOffUs } = this.kernel
    const unshown = this.#waiting.filter((timer) => timer.delayMs < seldomMs && !this.#hasShown(timer))
    const shownUs = unshown.map(({ delayMs, dueUs }) => (wentOffUs.has(delayMs) ? nowUs : dueUs) + afterwardsUs)
    const untilUs = Math.max(0, ...shownUs)
    if (unshown.length === 0 || untilUs > timeLimitUs || !keysStay()) return 0
    this.#settledAt = this.events.length
    this.kernel.schedule(untilUs - nowUs, null, () => {})
    return untilUs
  }

  /**
   * Messages were settled before the run ended, whatever ended it, and no fault has struck since.
   */
  get wentOn(): boolean {
    const isQuiet = () => !this.events.slice(this.#settledAt).some(({ type }) => type === 'fault-struck')
    return this.#goesOnUntilUs !== null && this.#goesOnUntilUs > 0 && isQuiet()
  }
}
