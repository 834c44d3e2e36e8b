import { MachineClock } from 'virtual-node/kernel'
import type { ClockAction } from '../../run/actions.ts'
import type { ClockPort } from '../../run/ports.ts'

/**
 * The clocks of all machines. Consumer slots count from 0, and the store's servers from -1
 * downwards. Clocks outlive processes.
 */
export class MachineClocks implements ClockPort {
  readonly timersDrift = true
  readonly #clocks = new Map<number, MachineClock>()

  constructor(
    private readonly nowUs: () => number,
    private readonly epochMs: number,
  ) {}

  of(machine: number): MachineClock {
    let clock = this.#clocks.get(machine)
    if (clock === undefined) {
      clock = new MachineClock(this.nowUs, this.epochMs * 1000)
      this.#clocks.set(machine, clock)
    }
    return clock
  }

  carryOut(action: ClockAction): boolean {
    const clock = this.of(action.machine)
    switch (action.do) {
      case 'step-clock':
        clock.step(action.byMs * 1000)
        return true
      case 'drift-clock':
        if (action.percent !== 0 && clock.drifts) return false
        clock.drift(action.percent * 10_000)
        return true
      case 'freeze-clock':
        if (action.on && clock.frozen) return false
        clock.freeze(action.on)
        return true
    }
  }
}
