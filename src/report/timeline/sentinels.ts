/**
 * Adds the actions of Sentinels to a picture. The history does not contain these actions, because
 * other events do not depend on them.
 */

import type { History } from '../../contract/api/history.ts'
import { indexHistory } from '../../contract/api/history-index.ts'
import type { RunTrace, SentinelWord } from '../../contract/results/run-trace.ts'
import type { InFlightMessage, Timeline, TimelineEvent } from '../../contract/results/timeline.ts'
import type { Lanes } from './lanes.ts'

/** True if Sentinels matter to the run: one of them acted, or a fault struck one. */
export function sentinelsMatter(history: History, { words, sentinels }: RunTrace): boolean {
  if (words.length > 0) return true
  const struck = indexHistory(history).of('fault-struck')
  return struck.some(({ node, sentence }) =>
    sentinels.some((name) => name === node || sentence.split(/\W*\s\W*/).includes(name)),
  )
}

interface Said {
  /** `seq` of the event of the history that preceded the action. */
  readonly afterSeq: number
  readonly event: Omit<TimelineEvent, 'seq'>
  readonly messages: readonly Omit<InFlightMessage, 'seq'>[]
}

/**
 * Returns the timeline with the Sentinels' actions; all events are renumbered. If the story shows a
 * new primary, it also shows which Sentinel decided that.
 */
export function withSentinels(timeline: Timeline, { words, questions }: RunTrace, lanes: Lanes): Timeline {
  const isReported = timeline.events.some(({ reported, tone }) => reported && tone === 'role')
  const said = [
    ...words.map((word) => saidBy(word, lanes, isReported)),
    ...questions.flatMap((question) => answered(question, lanes)),
  ].sort((a, b) => a.afterSeq - b.afterSeq || a.event.atUs - b.event.atUs)
  return said.length === 0 ? timeline : inserted(timeline, said)
}

function saidBy({ atUs, seq, sentinel, what, about }: SentinelWord, lanes: Lanes, storyReports: boolean): Said {
  const lane = lanes.of(sentinel)
  const to = about === null ? null : lanes.of(about)
  const tone = what === 'leads' ? ('role' as const) : ('step' as const)
  const reported = storyReports && what === 'leads' ? { reported: true as const } : {}
  const times = { sentUs: atUs, arrivedUs: atUs }
  const isSent = what === 'votes' && lane !== null && to !== null && to !== lane
  return {
    afterSeq: seq,
    event: { atUs, lane, tone, text: sentenceOf(what, sentinel, about ?? 'a machine'), ...reported },
    messages: isSent ? [{ kind: 'copy', from: lane, to, ...times, text: `vote for ${about}` }] : [],
  }
}

function sentenceOf(what: SentinelWord['what'], sentinel: string, about: string): string {
  const sentences: Readonly<Record<SentinelWord['what'], string>> = {
    down: `${sentinel} marks ${about} as down`,
    up: `${sentinel} marks ${about} as up again`,
    'agreed-down': `${sentinel} and its quorum mark ${about} as down`,
    stands: `${sentinel} asks the others for votes to fail ${about} over`,
    votes: `${sentinel} votes for ${about}`,
    leads: `${sentinel} has the votes and leads the failover`,
    chooses: `${sentinel} selects ${about} as the next primary`,
    'not-elected': `${sentinel} aborts its failover: it was not elected`,
    'no-good-replica': `${sentinel} aborts its failover: no replica is fit`,
    'not-promoted': `${sentinel} aborts its failover: the replica did not become a primary in time`,
    demotes: `${sentinel} makes ${about} a replica`,
  }
  return sentences[what]
}

const question = 'SENTINEL get-master-addr-by-name'

/**
 * A client's question with the Sentinel's answer. The question is known to have arrived; whether
 * the answer arrived is unknown.
 */
function answered({ atUs, seq, sentinel, process, reported }: RunTrace['questions'][number], lanes: Lanes): Said[] {
  const [from, lane] = [lanes.of(process), lanes.of(sentinel)]
  if (from === null || lane === null) return []
  const text = `${process} asks ${sentinel} for the primary; it answers: ${reported ?? 'unknown'}`
  return [
    {
      afterSeq: seq,
      event: { atUs, lane, tone: 'step', text, command: question, reply: reported ?? 'nil' },
      messages: [{ kind: 'request', from, to: lane, sentUs: atUs, arrivedUs: atUs, text: question }],
    },
  ]
}

function inserted(timeline: Timeline, said: readonly Said[]): Timeline {
  const moved = (seq: number) => seq + said.filter(({ afterSeq }) => afterSeq < seq).length
  const renumbered = <T extends { readonly seq: number }>(list: readonly T[]) =>
    list.map((one) => ({ ...one, seq: moved(one.seq) }))
  const movedMessages = renumbered(timeline.messages).map((message) =>
    message.fromSeq === undefined ? message : { ...message, fromSeq: moved(message.fromSeq) },
  )
  const own = said.map(({ afterSeq, event, messages }, at) => {
    const seq = afterSeq + 1 + at
    return { event: { ...event, seq }, messages: messages.map((message) => ({ ...message, seq })) }
  })
  const inOrder = <T extends { readonly seq: number }>(list: readonly T[]) => [...list].sort((a, b) => a.seq - b.seq)
  return {
    ...timeline,
    events: inOrder([...renumbered(timeline.events), ...own.map(({ event }) => event)]),
    messages: inOrder([...movedMessages, ...own.flatMap(({ messages }) => messages)]),
    bars: timeline.bars.map((bar) => (bar.seq === undefined ? bar : { ...bar, seq: moved(bar.seq) })),
    keys: renumbered(timeline.keys),
    beliefs: renumbered(timeline.beliefs),
    folds: timeline.folds.map(({ afterSeq, text }) => ({ afterSeq: moved(afterSeq), text })),
  }
}
