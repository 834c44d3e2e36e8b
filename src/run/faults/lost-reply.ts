import fc from 'fast-check'
import { atBoundary, type Fault } from './fault.ts'

/** The command is executed, and the connection breaks before the reply arrives. */
export const lostReply: Fault = {
  kind: 'lost-reply',
  about: 'a Redis command is executed and its reply never comes back: the connection is reset',
  delays: 'none',
  needs: 'the boundary command-executed instead of a time',
  onlyAt: ['command-executed'],
  draw: (scope) => fc.record({ kind: fc.constant('lost-reply'), when: atBoundary(scope, ['command-executed']) }),
  strike(_view, _fault, event) {
    if (event === null) return null
    event.verdict = 'drop'
    return {
      process: event.process.name,
      sentence: `the reply to ${event.label} of consumer-${event.slot + 1} is lost: it was executed, and the connection breaks`,
    }
  },
}
