/**
 * Puts the clocks of servers ahead: at each command, by the delay that was measured in a run on a
 * late machine.
 */
import type { MachineClock } from 'virtual-node/kernel'

export class ServersAhead {
  #commands = 0
  #aheadUs = 0

  constructor(
    /** In milliseconds, one value for each command. */
    private readonly aheadMs: readonly number[],
    /** One clock for each server. */
    private readonly clocks: readonly Pick<MachineClock, 'step'>[],
  ) {}

  /** A consumer's command or statement is executed next. */
  next(): void {
    const ms = this.aheadMs[this.#commands++]
    if (ms === undefined) return
    const aheadUs = Math.round(ms * 1000)
    for (const clock of this.clocks) clock.step(aheadUs - this.#aheadUs)
    this.#aheadUs = aheadUs
  }
}
