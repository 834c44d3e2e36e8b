import fc from 'fast-check'
import { atBoundary, type Fault, storeWords } from './fault.ts'

/** The command has left the process, and the connection breaks before Redis executes it. */
export const lostRequest: Fault = {
  kind: 'lost-request',
  about: 'a Redis command is sent and never executed: the connection is reset on its way',
  delays: 'none',
  needs: 'the boundary command-unexecuted instead of a time',
  onlyAt: ['command-unexecuted'],
  draw: (scope) => fc.record({ kind: fc.constant('lost-request'), when: atBoundary(scope, ['command-unexecuted']) }),
  strike(view, _fault, event) {
    if (event === null) return null
    event.verdict = 'drop'
    return {
      process: event.process.name,
      sentence: `${event.label} of consumer-${event.slot + 1} is lost on its way to ${storeWords(view)}, and the connection breaks`,
    }
  },
}
