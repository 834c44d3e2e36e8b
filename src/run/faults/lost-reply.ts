import fc from 'fast-check'
import { atBoundary, type Fault, isAtBoundary } from './fault.ts'

/** The command executed; the connection breaks before its reply comes back. */
export const lostReply: Fault = {
  kind: 'lost-reply',
  about: 'a Redis command is executed and its reply never comes back: the connection is reset',
  needs: 'the boundary command-executed in place of a time',
  canStrike: isAtBoundary,
  draw: (scope) => fc.record({ kind: fc.constant('lost-reply'), when: atBoundary(scope, ['command-executed']) }),
  strike(_target, _fault, passing) {
    if (passing === null) return null
    passing.verdict = 'drop'
    return {
      sentence: `the reply to ${passing.label} of consumer-${passing.slot + 1} is lost: it was executed, and the connection breaks`,
    }
  },
}
