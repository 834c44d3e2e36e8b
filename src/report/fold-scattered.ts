/**
 * Folds repeated commands with the same reply in one process, if attempts only fail in between. If
 * the process has several open attempts, the sender of each command is unknown, so the commands do
 * not form rounds. The first command is shown, with the number of the others. The sequence ends at
 * any event that could change the meaning of the reply: a delivery, effect, loss, fault or other
 * command.
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
    // Without events in between, the commands are rounds. If only one step would be omitted, the
    // step itself says more than a count.
    if (again.length < 2 || again.at(-1) === stretch[again.length - 1]) continue
    for (const step of again) left.add(step)
    folded.push({ afterSeq: first.event.seq, times: again.length, steps: 1, untilUs: again.at(-1)!.event.atUs })
  }
  return { steps: steps.filter((step) => !left.has(step)), folded }
}

/**
 * True if each event of the step is the end of an attempt without a final answer, or a redelivery
 * by the broker.
 */
const isGivingUp = (step: Step): boolean => eventsOf(step).every(endsNothing)

const endsNothing = (event: HistoryEvent): boolean =>
  (event.type === 'answered' && event.outcome.status === 'retry') || event.type === 'threw' || isOfBroker(event)
