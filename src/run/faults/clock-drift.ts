import fc from 'fast-check'
import { atTime, durationMs, type Fault } from './fault.ts'
import { machineName, machines } from './machine.ts'

/**
 * The clocks of one machine run fast or slow: its wall clock drifts, and if the host supports this
 * (`timersDrift`), its timers fire early or late.
 */
export const clockDrift: Fault = {
  kind: 'clock-drift',
  about: 'the clocks of a consumer or of Redis run fast or slow for a while',
  delays: 'none',
  needs: 'a clock that keeps its pace, and a percentage other than 0',
  draw: (scope) =>
    fc.record({
      kind: fc.constant('clock-drift'),
      when: atTime(scope),
      machine: machines(scope),
      // The range covers the small drift of a quartz clock and the large one of a virtual machine
      // without CPU time.
      percent: fc.integer({ min: -60, max: 200 }),
      healAfterMs: durationMs(),
    }),
  strike({ clocks, plan }, fault) {
    const machine = Number(fault.machine)
    const percent = Number(fault.percent)
    if (percent === 0) return null
    const [which, runs] = clocks.timersDrift ? ['clocks', 'run'] : ['wall clock', 'runs']
    const clock = `the ${which} of ${machineName(machine, plan)} ${runs}`
    return {
      action: { do: 'drift-clock', machine, percent },
      sentence: `${clock} ${Math.abs(percent)} % too ${percent > 0 ? 'fast' : 'slow'}`,
      heal: () => ({
        action: { do: 'drift-clock', machine, percent: 0 },
        sentence: `${clock} at ${clocks.timersDrift ? 'their' : 'its'} normal pace again`,
      }),
    }
  },
}
