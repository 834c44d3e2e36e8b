import fc from 'fast-check'
import { atBoundary, type Fault } from './fault.ts'

/**
 * Error replies that depend on the state of the server, not on the command. Redis does not execute
 * the command.
 */
const errors = [
  "OOM command not allowed when used memory > 'maxmemory'.",
  'LOADING Redis is loading the dataset in memory',
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may modify the data set are disabled, because this instance is configured to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error.",
] as const

/** One command is answered with an error and not executed. */
export const errorReply: Fault = {
  kind: 'error-reply',
  store: 'redis',
  about: 'a single Redis command is answered with an error (OOM, LOADING, BUSY, MISCONF) and not executed',
  delays: 'its links',
  needs: 'the boundary command-unexecuted instead of a time',
  onlyAt: ['command-unexecuted'],
  draw: (scope) =>
    fc.record({
      kind: fc.constant('error-reply'),
      when: atBoundary(scope, ['command-unexecuted']),
      error: fc.constantFrom(...errors),
    }),
  strike(_view, fault, event) {
    if (event === null) return null
    const error = String(fault.error)
    event.error = error
    const code = error.slice(0, error.indexOf(' '))
    return {
      process: event.process.name,
      sentence: `redis answers ${event.label} of consumer-${event.slot + 1} with ${code} and does not execute it`,
    }
  },
}
