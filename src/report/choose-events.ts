/**
 * Chooses the events of a history that its story shows: those that led to the violation, by weight,
 * and few enough to be read. Events of the violated key are always shown, except that repeated
 * attempts and rounds are folded.
 */
import type { History, HistoryEvent } from '../contract/api/history.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { type FoldedAttempts, foldAttempts } from './fold-attempts.ts'
import { deliveriesWithResult, foldIdle, type Idle, idleBehind } from './fold-idle.ts'
import { foldRefused, type Refused } from './fold-refused.ts'
import { type Folded, foldRepeats } from './fold-repeats.ts'
import { foldScattered } from './fold-scattered.ts'
import { type Step, stepsOf } from './story-steps.ts'
import { scopeOf, weightOf } from './weigh-event.ts'

/** The maximum number of steps, not counting those of the violated key, gaps and the ending. */
const most = 9
/** Events of a violated key up to this weight are always shown. */
const ofTheKey = 2

export interface Chosen {
  readonly steps: readonly Step[]
  readonly folded: readonly Folded[]
  readonly attempts: readonly FoldedAttempts[]
  readonly idle: readonly Idle[]
  readonly refused: readonly Refused[]
  /**
   * The number of omitted events of the same weight, and the event before them; null if none were
   * omitted.
   */
  readonly gap: { readonly afterSeq: number; readonly count: number } | null
}

/** The first and the last events, `room` in total. */
function thinned(events: readonly HistoryEvent[], room: number): HistoryEvent[] {
  const head = Math.ceil(room / 2)
  return [...events.slice(0, head), ...events.slice(events.length - (room - head))]
}

/** The story ends with the last event of the violation. */
export function chooseEvents(history: History, violation: Violation): Chosen {
  const until = Math.max(...violation.events, 0)
  const scope = scopeOf(history, violation, until)
  const { left, folded: attempts } = foldAttempts(history, violation)
  const byWeight: HistoryEvent[][] = [[], [], [], [], []]
  for (const event of history.events) {
    const weight = event.seq > until || left.has(event.seq) ? null : weightOf(event, scope)
    if (weight !== null) byWeight[weight]!.push(event)
  }
  const fruitful = deliveriesWithResult(byWeight.flat(), history)
  const reported = (all: readonly HistoryEvent[]) => {
    const { events, refused } = foldRefused(all, violation)
    const { steps, idle } = foldIdle(stepsOf(events, history, violation), history, violation, fruitful)
    const scattered = foldScattered(steps, history, violation)
    const rounds = foldRepeats(scattered.steps, history, violation, [...refused, ...scattered.folded])
    return {
      steps: rounds.steps,
      folded: [...scattered.folded, ...rounds.folded],
      idle: idleBehind(rounds.steps, idle),
      refused,
    }
  }
  let chosen: HistoryEvent[] = []
  let gap: Chosen['gap'] = null
  for (const [weight, alike] of byWeight.entries()) {
    const all = inOrder([...chosen, ...alike])
    const room = most - reported(chosen).steps.length
    if (reported(all).steps.length <= most || (weight <= ofTheKey && violation.key !== null)) {
      chosen = all
      continue
    }
    if (room <= 0) break
    const kept = thinned(alike, room)
    const afterSeq = kept[Math.ceil(room / 2) - 1]?.seq ?? chosen[0]?.seq
    if (afterSeq !== undefined) gap = { afterSeq, count: alike.length - kept.length }
    chosen = inOrder([...chosen, ...kept])
    break
  }
  return { ...reported(chosen), attempts, gap }
}

const inOrder = (events: readonly HistoryEvent[]): HistoryEvent[] => [...events].sort((a, b) => a.seq - b.seq)
