import type { History } from '../../contract/api/history.ts'
import { indexHistory } from '../../contract/api/history-index.ts'
import type { Violation } from '../../contract/api/verdict.ts'
import { msText } from '../../contract/results/time-text.ts'
import type { Timeline } from '../../contract/results/timeline.ts'
import { visible } from '../../contract/results/visible.ts'
import { chooseEvents } from '../choose-events.ts'
import { foldTexts } from '../fold-texts.ts'
import { stepSentence } from '../step-sentence.ts'
import { eventsOf, type Step } from '../story-steps.ts'

/** A story in the form that a picture needs: a text for each of its events. */
export interface StoryReport {
  /** Texts by the number of the event. */
  readonly texts: ReadonlyMap<number, string>
  readonly folds: Timeline['folds']
  readonly ending: readonly string[]
  readonly shows: ReadonlySet<number>
}

const timed = /^ *([\d.]+ ms) {2}(.*)$/

/** `story`: the lines of `reportStory` for the violation. */
export function storyReportOf(history: History, violation: Violation, story: readonly string[]): StoryReport {
  const { steps } = chooseEvents(history, violation)
  const texts = new Map<number, string>()
  const folds: { afterSeq: number; text: string }[] = []
  const last = story.findLastIndex((line) => timed.test(line))
  let next = 0
  for (const line of story.slice(0, last + 1)) {
    const [, time, text = ''] = timed.exec(line) ?? []
    const at = steps.findIndex(({ event }, index) => index >= next && msText(event.atUs) === time)
    if (time !== undefined && at !== -1) {
      for (const [seq, own] of rowsOf(steps[at]!, text, history)) texts.set(seq, own)
      next = at + 1
    } else if (next > 0) folds.push({ afterSeq: lastOf(steps[next - 1]!), text: line.trim().replace(/^… /, '') })
  }
  return { texts, folds, ending: story.slice(last + 1), shows: new Set(violation.events) }
}

/**
 * The rows of a step. A picture has a row for each arrow: the delivery, the answer and the losses,
 * which a story shows on one line.
 */
function rowsOf(
  { opening, event, closing, call, calls, losses = [] }: Step,
  text: string,
  history: History,
): [number, string][] {
  const parts = [opening, ...losses, closing, calls].filter((part) => part !== undefined)
  const middle: Step = call === undefined ? { event } : { event, call }
  return [
    [event.seq, parts.length === 0 ? text : visible(stepSentence(middle, history))],
    ...parts.map((part): [number, string] => [part.seq, visible(stepSentence({ event: part }, history))]),
  ]
}

const lastOf = (step: Step): number => Math.max(...eventsOf(step).map(({ seq }) => seq))

/** The story of a run that holds: the events that a story about the same key would show. */
export function storyReportOfKey(history: History, key: string | null): StoryReport {
  const reading = indexHistory(history)
  const ends = [...reading.deliveries.values()].flatMap(({ delivered, answered }) =>
    key === null || delivered.key === key ? [answered?.seq ?? delivered.seq] : [],
  )
  const seen = { kind: '', key, sentence: '', events: [Math.max(0, ...ends)] }
  const { steps, ...left } = chooseEvents(history, seen)
  const texts = new Map(steps.flatMap((step) => rowsOf(step, stepSentence(step, history), history)))
  const folds = foldTexts(left).flatMap(({ afterSeq, text }) => {
    const step = steps.findLast(({ event }) => event.seq <= afterSeq)
    return step === undefined ? [] : [{ afterSeq: lastOf(step), text }]
  })
  return { texts, folds, ending: [], shows: new Set() }
}
