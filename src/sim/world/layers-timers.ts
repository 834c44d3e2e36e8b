/**
 * The timers of a layer that wait when its messages are settled, and whether they have fired in the
 * run.
 */

import type { Kernel } from 'virtual-node/kernel'
import type { VirtualProcess, WaitingTimer } from 'virtual-node/runtime'
import type { HistoryEvent } from '../../contract/api/history.ts'

/** A run is not extended for timers of this length or longer. */
const seldomMs = 60_000
/** The time after which the commands that a fired timer sends to Redis are executed. */
const afterwardsUs = 2_000_000

type Sleeper = { readonly waitingTimers: Iterable<WaitingTimer> } & Pick<VirtualProcess, 'sleep'>

export class LayersTimers {
  /** Null before all messages are settled; 0 if the run is not extended. */
  #goesOnUntilUs: number | null = null
  #settledAt = 0

  constructor(
    private readonly kernel: Pick<Kernel<VirtualProcess>, 'nowUs' | 'schedule' | 'wentOffUs'>,
    private readonly processes: () => readonly Sleeper[],
    private readonly events: readonly Pick<HistoryEvent, 'type'>[],
  ) {}

  /**
   * `seldom`: true if a waiting timer is a minute long or longer, or has not fired yet although the
   * run was not extended for it. After an extension, a waiting timer that has not fired does not
   * count, because it was cleared and restarted during the extension, as a reply timeout is.
   */
  get waits(): { readonly any: boolean; readonly seldom: boolean } {
    const waiting = this.#waiting
    const hasShownAll = this.wentOn && this.kernel.nowUs >= this.#goesOnUntilUs!
    const isSeldom = (timer: WaitingTimer) => timer.delayMs >= seldomMs || !(hasShownAll || this.#hasShown(timer))
    return { any: waiting.length > 0, seldom: waiting.some(isSeldom) }
  }

  /** Immediates are excluded, because they do not wait. */
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
   * True while a settled run is extended. If keys without expiry remain, the extension lets each
   * timer of less than a minute that has not fired fire once, because its callback may delete the
   * keys. `keysStay` is called at most once.
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
   * True if the run was extended after its messages were settled, and no fault has struck since.
   */
  get wentOn(): boolean {
    const isQuiet = () => !this.events.slice(this.#settledAt).some(({ type }) => type === 'fault-struck')
    return this.#goesOnUntilUs !== null && this.#goesOnUntilUs > 0 && isQuiet()
  }
}
