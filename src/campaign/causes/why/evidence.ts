/**
 * What a cause is named from: one run, the violation that it shows, and the step that decided it.
 */
import { type AttemptPair, pairOf } from '../../../check/repeat.ts'
import type { History } from '../../../contract/api/history.ts'
import { type EventOf, type HistoryIndex, indexHistory } from '../../../contract/api/history-index.ts'
import type { Violation } from '../../../contract/api/verdict.ts'
import type { RunResult } from '../../types.ts'
import { type DecidingCommand, decidingCommand } from '../deciding-step.ts'

export interface Evidence {
  readonly history: History
  readonly reading: HistoryIndex
  readonly executed: RunResult['executed']
  readonly violation: Violation
  /** Null where no attempt is to blame. */
  readonly decided: DecidingCommand | null
  /** Of an effect that happened twice; null otherwise. */
  readonly attempts: AttemptPair | null
}

/** One sentence without its end, in which nothing is guessed; null where the facts are others. */
export type Rule = (evidence: Evidence) => string | null

/** Times of commands are known of recorded runs alone. */
export function evidenceOf(run: Pick<RunResult, 'history' | 'executed'>, violation: Violation): Evidence {
  const { history, executed } = run
  const reading = indexHistory(history)
  const decided = decidingCommand(run, violation)
  return { history, reading, executed, violation, decided, attempts: attemptsOf(history, reading, violation) }
}

function attemptsOf({ header, events }: History, reading: HistoryIndex, { events: shown }: Violation) {
  const effects = shown.flatMap((seq) => {
    const event = events[seq]!
    return event.type === 'effect-applied' ? [event] : []
  })
  const [one, other]: readonly (EventOf<'effect-applied'> | undefined)[] = effects
  if (one === undefined || other === undefined || one.fingerprint !== other.fingerprint) return null
  return pairOf(header.leaseMs, reading, one, other)
}

/**
 * The sink's answer to the first attempt, where that was still at work and had not been repeated.
 */
export function answerHeard({ first, again }: AttemptPair): EventOf<'effect-answered'> | null {
  const answer = first.request?.answered
  const ended = first.delivery?.threw ?? first.delivery?.answered
  if (answer === undefined || answer.seq > again.sent.seq) return null
  return ended === undefined || answer.seq < ended.seq ? answer : null
}
