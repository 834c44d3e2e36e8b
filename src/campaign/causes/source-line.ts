import { indexHistory } from '../../contract/api/history-index.ts'
import type { SourcePosition } from '../../contract/api/source-position.ts'
import type { Violation } from '../../contract/api/verdict.ts'
import type { RunResult } from '../types.ts'
import { decidingCommand, takingOf } from './deciding-step.ts'

/**
 * The user's line from which a violation was made: of several effects, that which called the sink
 * for the last; of an answer, that which sent the command that decided it; of a forgotten job, that
 * which took it. Undefined where a run did not note lines, or none is to blame.
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
  // A command's trace is written just before it counts as executed.
  const trace = command === null ? undefined : events[command.seq - 1]
  return trace?.type === 'command' ? trace.sentFrom : undefined
}
