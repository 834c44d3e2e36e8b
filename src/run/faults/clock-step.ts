import fc from 'fast-check'
import { exactText } from '../../contract/results/time-text.ts'
import { atTime, durationMs, type Fault } from './fault.ts'
import { machineName, machines } from './machine.ts'

/**
 * The wall clock of one machine steps, as when NTP corrects it. When the fault heals, the clock
 * steps back.
 */
export const clockStep: Fault = {
  kind: 'clock-step',
  about: 'the wall clock of a consumer or of Redis jumps forward or backward, and back later',
  delays: 'none',
  needs: 'a step other than 0',
  draw: (scope) =>
    fc.record({
      kind: fc.constant('clock-step'),
      when: atTime(scope),
      machine: machines(scope),
      byMs: fc.oneof(
        { withCrossShrink: true },
        fc.integer({ min: -50, max: 50 }),
        fc.integer({ min: -5000, max: 5000 }),
        fc.integer({ min: -3_600_000, max: 3_600_000 }),
      ),
      healAfterMs: durationMs(),
    }),
  strike({ plan }, fault) {
    const machine = Number(fault.machine)
    const byMs = Number(fault.byMs)
    if (byMs === 0) return null
    const name = machineName(machine, plan)
    return {
      action: { do: 'step-clock', machine, byMs },
      sentence: `the clock of ${name} jumps ${exactText(Math.abs(byMs))} ${byMs > 0 ? 'forward' : 'backward'}`,
      heal: () => ({
        action: { do: 'step-clock', machine, byMs: -byMs },
        sentence: `the clock of ${name} jumps back`,
      }),
    }
  },
}
