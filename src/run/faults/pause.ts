import fc from 'fast-check'
import { boundaries } from '../../contract/api/plan.ts'
import { exactText } from '../../contract/results/time-text.ts'
import { whereText } from '../../contract/results/where-text.ts'
import { atBoundary, atTime, durationMs, type Fault, victim } from './fault.ts'

/**
 * The process stops, as by SIGSTOP or in a long garbage collection, and later continues without
 * noticing the pause.
 */
export const pause: Fault = {
  kind: 'pause',
  about: 'a consumer process stops for a while (a long garbage collection, a suspended machine) and goes on',
  delays: 'none',
  needs: 'a consumer that is running',
  draw: (scope) =>
    fc.oneof(
      fc.record({ kind: fc.constant('pause'), when: atBoundary(scope, boundaries), healAfterMs: durationMs() }),
      fc.record({
        kind: fc.constant('pause'),
        when: atTime(scope),
        consumer: fc.nat({ max: scope.consumers - 1 }),
        healAfterMs: durationMs(),
      }),
    ),
  strike(view, fault, event) {
    const process = victim(view, fault, event)
    if (process?.state !== 'running') return null
    return {
      action: { do: 'pause', process },
      process: process.name,
      sentence: `${process.name} stops${whereText(event)}, for ${exactText(Number(fault.healAfterMs))}`,
      heal() {
        if (process.state !== 'paused') return { sentence: `${process.name} ended before it could go on` }
        return { action: { do: 'resume', process }, sentence: `${process.name} goes on` }
      },
    }
  },
}
