/**
 * A process that is told the same by the same command over and over, while its attempts only give
 * up between: where it has several of them open, which of them sent which command is not known, so
 * they are no rounds. The first command is told, and how often it was told the same. Between them
 * nothing may lie that could make the same reply mean something else: no hand-over, effect, loss,
 * fault or other command.
 */
import type { History, HistoryEvent } from '../contract/api/history.ts'
import { indexHistory } from '../contract/api/history-index.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { type Folded, ownMarkOf } from './fold-repeats.ts'
import { eventsOf, isOfBroker, type Step } from './story-steps.ts'

export function foldScattered(
  steps: readonly Step[],
  history: History,
  { events: showing }: Pick<Violation, 'events'>,
): { readonly steps: readonly Step[]; readonly folded: readonly Folded[] } {
  const reading = indexHistory(history)
  const isShown = (step: Step) => eventsOf(step).some(({ seq }) => showing.includes(seq))
  const markOf = (step: Step) =>
    step.event.type === 'command' && eventsOf(step).length === 1 && !isShown(step)
      ? ownMarkOf(step.event, reading)
      : null
  const left = new Set<Step>()
  const folded: Folded[] = []
  for (const [at, first] of steps.entries()) {
    const mark = markOf(first)
    if (left.has(first) || mark === null) continue
    const after = steps.slice(at + 1)
    const end = after.findIndex((step) => markOf(step) !== mark && (isShown(step) || !isGivingUp(step)))
    const stretch = end === -1 ? after : after.slice(0, end)
    const again = stretch.filter((step) => markOf(step) === mark)
    // Without anything between them they are rounds. A count in place of one line says less than
    // the line.
    if (again.length < 2 || again.at(-1) === stretch[again.length - 1]) continue
    for (const step of again) left.add(step)
    folded.push({ afterSeq: first.event.seq, times: again.length, steps: 1, untilUs: again.at(-1)!.event.atUs })
  }
  return { steps: steps.filter((step) => !left.has(step)), folded }
}

/**
 * An attempt that is over without an answer of its own, or a message that the broker hands out once
 * more.
 */
const isGivingUp = (step: Step): boolean => eventsOf(step).every(endsNothing)

const endsNothing = (event: HistoryEvent): boolean =>
  (event.type === 'answered' && event.outcome.status === 'retry') || event.type === 'threw' || isOfBroker(event)
