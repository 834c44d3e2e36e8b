import type { Belief, Timeline } from '../../../contract/results/timeline.ts'
import { countUpTo, timeText } from './rows.ts'

const known = new WeakMap<Timeline, readonly Belief[]>()

/**
 * The beliefs of each process as they change, including those that follow from its messages: its
 * last question and the last reply.
 */
export function beliefsOf(timeline: Timeline): readonly Belief[] {
  let beliefs = known.get(timeline)
  if (beliefs === undefined) {
    beliefs = [...timeline.beliefs, ...heardOf(timeline)].sort((a, b) => a.atUs - b.atUs || a.seq - b.seq)
    known.set(timeline, beliefs)
  }
  return beliefs
}

/**
 * The beliefs that follow from messages. Questions to Sentinels are omitted, because no trace
 * records when they were answered.
 */
function heardOf({ messages, events, lanes }: Timeline): Belief[] {
  const times = events.map(({ atUs }) => atUs)
  const note = (atUs: number, lane: number, about: string, text: string | null): Belief => {
    return { seq: countUpTo(times, atUs) - 1, atUs, lane, about, text }
  }
  return messages.flatMap(({ kind, from, to, sentUs, arrivedUs, seq, text }) => {
    if (kind === 'request' && lanes[to]?.kind === 'sentinel') return []
    if (kind === 'request')
      return [note(sentUs, from, 'asked', `waits for an answer to ${text} since ${timeText(sentUs)}`)]
    if (kind !== 'reply' || arrivedUs === null) return []
    const heard = `heard of ${text}: ${events[seq]?.reply ?? ''}`
    return [note(arrivedUs, to, 'heard', heard), note(arrivedUs, to, 'asked', null)]
  })
}
