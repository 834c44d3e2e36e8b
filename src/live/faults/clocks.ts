/** Faults of wall clocks: `clocks.ts` says how each machine's clock is shifted. Timers keep their pace. */
import { consumerName, type LiveFault } from './live-fault.ts'

const machineName = (machine: number): string => (machine === -1 ? 'redis' : consumerName(machine))

export const clockStep: LiveFault = {
  async strike(target, fault) {
    const byMs = Number(fault.byMs)
    if (byMs === 0) return null
    const clock = target.clock(Number(fault.machine))
    clock.step(byMs)
    const name = machineName(Number(fault.machine))
    return {
      sentence: `the clock of ${name} jumps ${Math.abs(byMs)} ms ${byMs > 0 ? 'forwards' : 'backwards'}`,
      heal() {
        clock.step(-byMs)
        return `the clock of ${name} jumps back`
      },
    }
  },
}

export const clockDrift: LiveFault = {
  async strike(target, fault) {
    const percent = Number(fault.percent)
    const clock = target.clock(Number(fault.machine))
    if (percent === 0 || !clock.pace(1 + percent / 100)) return null
    const name = machineName(Number(fault.machine))
    return {
      sentence: `the wall clock of ${name} runs ${Math.abs(percent)} % too ${percent > 0 ? 'fast' : 'slow'}`,
      heal() {
        clock.pace(null)
        return `the wall clock of ${name} runs at its pace again`
      },
    }
  },
}

export const clockFrozen: LiveFault = {
  async strike(target, fault) {
    const clock = target.clock(Number(fault.machine))
    if (!clock.pace(0)) return null
    const name = machineName(Number(fault.machine))
    return {
      sentence: `the wall clock of ${name} stands still`,
      heal() {
        clock.pace(null)
        return `the wall clock of ${name} goes again, ${fault.healAfterMs} ms behind`
      },
    }
  },
}
