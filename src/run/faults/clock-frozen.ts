import fc from 'fast-check'
import { exactText } from '../../contract/results/time-text.ts'
import { atTime, durationMs, type Fault } from './fault.ts'
import { machineName, machines } from './machine.ts'

/**
 * The wall clock of one machine stops and does not catch up later. The timers of the machine
 * continue.
 */
export const clockFrozen: Fault = {
  kind: 'clock-frozen',
  about: 'the wall clock of a consumer or of Redis stops for a while',
  delays: 'none',
  needs: 'a running clock',
  draw: (scope) =>
    fc.record({
      kind: fc.constant('clock-frozen'),
      when: atTime(scope),
      machine: machines(scope),
      healAfterMs: durationMs(),
    }),
  strike({ plan }, fault) {
    const machine = Number(fault.machine)
    const name = machineName(machine, plan)
    return {
      action: { do: 'freeze-clock', machine, on: true },
      sentence: `the wall clock of ${name} stops`,
      heal: () => ({
        action: { do: 'freeze-clock', machine, on: false },
        sentence: `the wall clock of ${name} runs again, ${exactText(Number(fault.healAfterMs))} behind`,
      }),
    }
  },
}
