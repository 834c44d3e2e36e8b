import { indexHistory } from '../../contract/api/history-index.ts'
import type { SourcePosition } from '../../contract/api/source-position.ts'
import type { Violation } from '../../contract/api/verdict.ts'
import type { RunResult } from '../types.ts'
import { decidingCommand, takingOf } from './deciding-step.ts'

/**
 * The user's source line that caused the violation: for several effects, the line that called the
 * sink for the last one; for an answer, the line that sent the deciding command; for a forgotten
 * job, the line that sent the command that took the job. Undefined if the run did not record lines,
 * or no line caused the violation.
 */
export function sourceLineOf(
  run: Pick<RunResult, 'history' | 'executed'>,
  violation: Violation,
): SourcePosition | undefined {
  const { events } = run.history
  const { requests } = indexHistory(run.history)
  const effects = violation.events.flatMap((seq) => {
    const event = events[seq]
    return event?.type === 'effect-applied' ? (requests.get(event.requestId)?.sent ?? []) : []
  })
  const last = effects.sort((a, b) => a.seq - b.seq).at(-1)
  if (last !== undefined) return last.sentFrom
  const command = takingOf(run, violation) ?? decidingCommand(run, violation)?.command ?? null
  // The trace of a command is the event before the command's `seq`.
  const trace = command === null ? undefined : events[command.seq - 1]
  return trace?.type === 'command' ? trace.sentFrom : undefined
}
