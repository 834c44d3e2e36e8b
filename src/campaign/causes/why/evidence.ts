/** The input of the rules that name a cause: one run, its violation, and the deciding step. */
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
  /** The deciding step; null if no attempt broke the invariant. */
  readonly decided: DecidingCommand | null
  /** The two attempts of a repeated effect; null for other violations. */
  readonly attempts: AttemptPair | null
}

/**
 * Returns the cause as one sentence without a period; null if the rule does not apply to the
 * evidence. A rule must not guess.
 */
export type Rule = (evidence: Evidence) => string | null

/** The run must be a recorded one, because hot runs do not have the times of commands. */
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
 * The sink's answer to the first attempt, if the attempt was still running when the answer arrived,
 * and no second attempt had sent the effect.
 */
export function answerHeard({ first, again }: AttemptPair): EventOf<'effect-answered'> | null {
  const answer = first.request?.answered
  const ended = first.delivery?.threw ?? first.delivery?.answered
  if (answer === undefined || answer.seq > again.sent.seq) return null
  return ended === undefined || answer.seq < ended.seq ? answer : null
}
