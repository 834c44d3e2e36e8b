import type { History, HistoryEvent } from '../../contract/api/history.ts'
import { type HistoryIndex, indexHistory } from '../../contract/api/history-index.ts'
import { positionText, type SourcePosition } from '../../contract/api/source-position.ts'
import type { RunTrace, ScriptRun } from '../../contract/results/run-trace.ts'
import type { TimelineEvent, Tone } from '../../contract/results/timeline.ts'
import { visible } from '../../contract/results/visible.ts'
import { asLabelled } from '../command-name.ts'
import { replyText, sentenceOf } from '../event-sentence.ts'
import type { Lanes } from './lanes.ts'
import type { StoryReport } from './story-report.ts'

/** All events of a run in the form that the picture shows. */
export function eventsOf(
  history: History,
  runTrace: RunTrace,
  lanes: Lanes,
  { texts, shows }: StoryReport,
): TimelineEvent[] {
  const effects = new Map<string, number>()
  const ran = new Map(runTrace.commands.map(({ seq, ran }) => [seq, ran]))
  const { requests } = indexHistory(history)
  return history.events.map((event) => {
    const from = fromText(positionOf(event, requests))
    const reported = withoutPlace(texts.get(event.seq), from.sentFrom)
    const base = {
      seq: event.seq,
      atUs: event.atUs,
      lane: laneOf(event, history, lanes),
      text: visible(reported ?? textOf(event, history)),
      ...(reported === undefined ? {} : { reported: true as const }),
      ...(shows.has(event.seq) ? { shows: true as const } : {}),
    }
    if (event.type === 'effect-applied') {
      const effect = (effects.get(event.key) ?? 0) + 1
      effects.set(event.key, effect)
      return { ...base, tone: effect === 1 ? 'effect' : 'repeat', effect, ...from }
    }
    if (event.type !== 'command') return { ...base, tone: toneOf(event), ...from }
    const { command, reply } = event
    const scripts = ran.get(event.seq)?.map(visibleRun)
    const answer = visible(replyText(reply))
    const shown = {
      command: visible(asLabelled(command)),
      reply: visible(reply),
      ...(base.text.includes(`: ${answer}`) ? { answer } : {}),
      ...(scripts === undefined ? {} : { scripts }),
    }
    return { ...base, tone: 'step', ...shown, ...from }
  })
}

const visibleRun = ({ script, ran, calls, more }: ScriptRun): ScriptRun => {
  const shown = calls.map(({ line, command, reply }) => ({ line, command: visible(command), reply: visible(reply) }))
  return { script, ran, calls: shown, more }
}

/** The layer's source line that sent the event; for an effect, the line that sent its request. */
function positionOf(event: HistoryEvent, requests: HistoryIndex['requests']): SourcePosition | undefined {
  if (event.type === 'effect-applied') return requests.get(event.requestId)?.sent.sentFrom
  return 'sentFrom' in event ? event.sentFrom : undefined
}

/**
 * Removes the source line from the end of a story line, because the picture shows it separately.
 */
function withoutPlace(reported: string | undefined, place: string | undefined): string | undefined {
  return place === undefined ? reported : reported?.replace(` (${place})`, '')
}

/** The source line as text; empty if it was not recorded. */
function fromText(position: SourcePosition | undefined): { sentFrom?: string } {
  return position === undefined ? {} : { sentFrom: visible(positionText(position)) }
}

function textOf(event: HistoryEvent, history: History): string {
  switch (event.type) {
    case 'log':
      return `${event.process} logs: ${event.text.trimEnd()}`
    case 'network':
      return `${event.process}: ${event.text}`
    case 'all-healed':
      return 'every fault has healed'
    case 'unsupported':
      return `not simulated: ${event.what}`
    default:
      return sentenceOf(event, history) ?? event.type
  }
}

function toneOf({ type }: HistoryEvent): Tone {
  switch (type) {
    case 'fault-struck':
    case 'data-lost':
      return 'fault'
    case 'fault-healed':
    case 'all-healed':
      return 'healed'
    case 'request-lost':
    case 'reply-lost':
    case 'acknowledgement-lost':
      return 'lost'
    case 'process-ended':
      return 'ended'
    case 'topology':
      return 'role'
    case 'log':
    case 'network':
      return 'log'
    default:
      return 'step'
  }
}

/** The lane of an event: that of the participant that executes, applies or receives it. */
function laneOf(event: HistoryEvent, history: History, lanes: Lanes): number | null {
  const { deliveries } = indexHistory(history)
  switch (event.type) {
    case 'published':
    case 'settled':
      return lanes.broker
    case 'delivery-timed-out':
    case 'acknowledgement-lost':
      return deliveries.has(event.deliveryId) ? lanes.broker : null
    case 'effect-applied':
    case 'effect-deduplicated':
    case 'effect-refused':
    case 'effect-cancelled':
      return lanes.sink
    case 'command':
      return lanes.of(event.node ?? 'redis')
    case 'fault-struck':
      return lanes.of(event.process ?? event.node ?? '') ?? lanes.namedIn(event.sentence)[0] ?? null
    case 'fault-healed':
      return lanes.namedIn(event.sentence)[0] ?? null
    case 'data-lost':
    case 'topology':
      return lanes.of(event.node)
    default:
      return 'process' in event ? lanes.of(event.process) : null
  }
}
