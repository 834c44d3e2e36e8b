import type { History, HistoryEvent } from '../../contract/history.ts'
import { indexHistory } from '../../contract/history-index.ts'
import { msText } from '../../contract/time-text.ts'
import type { Timeline } from '../../contract/timeline.ts'
import type { Violation } from '../../contract/verdict.ts'
import { chooseEvents } from '../choose-events.ts'

/** A story as a picture stands beside it: which event each line is about. */
export interface Telling {
  /** By the event's number. */
  readonly texts: ReadonlyMap<number, string>
  readonly folds: Timeline['folds']
  readonly ending: readonly string[]
  readonly shows: ReadonlySet<number>
}

const timed = /^ *([\d.]+ ms) {2}(.*)$/

/** `story`: what `tellStory` said of the violation. */
export function tellingOf(history: History, violation: Violation, story: readonly string[]): Telling {
  const { events } = chooseEvents(history, violation)
  const texts = new Map<number, string>()
  const folds: { afterSeq: number; text: string }[] = []
  const last = story.findLastIndex((line) => timed.test(line))
  let next = 0
  for (const line of story.slice(0, last + 1)) {
    const [, time, text = ''] = timed.exec(line) ?? []
    const at = events.findIndex(({ atUs }, index) => index >= next && msText(atUs) === time)
    if (time !== undefined && at !== -1) {
      texts.set(events[at]!.seq, text)
      next = at + 1
    } else if (next > 0) folds.push({ afterSeq: events[next - 1]!.seq, text: line.trim().replace(/^… /, '') })
  }
  return { texts, folds, ending: story.slice(last + 1), shows: new Set(violation.events) }
}

/** Of a run that holds: what a story of the same key would tell. */
export function tellingOfKey(history: History, key: string | null, tell: (event: HistoryEvent) => string): Telling {
  const reading = indexHistory(history)
  const ends = [...reading.deliveries.values()].flatMap(({ delivered, answered }) =>
    key === null || delivered.key === key ? [answered?.seq ?? delivered.seq] : [],
  )
  const seen = { kind: '', key, sentence: '', events: [Math.max(0, ...ends)] }
  const { events } = chooseEvents(history, seen)
  return { texts: new Map(events.map((event) => [event.seq, tell(event)])), folds: [], ending: [], shows: new Set() }
}
