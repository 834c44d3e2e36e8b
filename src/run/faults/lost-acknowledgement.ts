import fc from 'fast-check'
import { atBoundary, type Fault } from './fault.ts'

/** The handler's answer does not reach the broker, so the broker delivers the message again. */
export const lostAcknowledgement: Fault = {
  kind: 'lost-acknowledgement',
  about: "a consumer's answer to the broker is lost, so that the message is delivered again",
  delays: 'none',
  needs: 'the boundary answered instead of a time',
  onlyAt: ['answered'],
  draw: (scope) => fc.record({ kind: fc.constant('lost-acknowledgement'), when: atBoundary(scope, ['answered']) }),
  strike(_view, _fault, event) {
    if (event === null) return null
    event.verdict = 'drop'
    return { sentence: `the answer of consumer-${event.slot + 1} to the broker is lost` }
  },
}
