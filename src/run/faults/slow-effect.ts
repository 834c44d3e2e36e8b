import fc from 'fast-check'
import { exactText } from '../../contract/results/time-text.ts'
import { effectWord } from '../../contract/results/where-text.ts'
import { atBoundary, durationMs, type Fault } from './fault.ts'

/** The sink takes `extraMs` longer for one request. */
export const slowEffect: Fault = {
  kind: 'slow-effect',
  about: 'the sink takes much longer than usual for one effect',
  delays: 'none',
  needs: 'the boundary effect-unapplied instead of a time',
  onlyAt: ['effect-unapplied'],
  ofRequests: true,
  draw: (scope) =>
    fc.record({
      kind: fc.constant('slow-effect'),
      when: atBoundary(scope, ['effect-unapplied']),
      extraMs: durationMs(),
    }),
  strike(_view, fault, event) {
    if (event === null) return null
    const extraMs = Number(fault.extraMs)
    event.slowUs += extraMs * 1000
    return {
      sentence: `the sink takes ${exactText(extraMs)} longer for the ${effectWord(event.label)} of consumer-${event.slot + 1}`,
    }
  },
}
