/**
 * One run in Chrome's trace event format, which Perfetto (https://ui.perfetto.dev) and
 * chrome://tracing open: a track for the broker, each consumer, each Redis server and the sink,
 * with virtual times. Events with a duration (a delivery, a request to the sink, a pause, a fault)
 * are bars; other events are marks; an arrow leads from a request to its effect.
 *
 * Source: "Trace Event Format",
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 *
 * Why this format: docs/how-it-works/decisions/0028-one-run-as-a-chrome-trace.md
 */
import type { History, HistoryEvent } from '../../contract/api/history.ts'
import { indexHistory } from '../../contract/api/history-index.ts'
import { sentenceOf } from '../event-sentence.ts'

interface TraceEvent {
  readonly ph: 'M' | 'i' | 'b' | 'e' | 's' | 'f'
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Virtual microseconds since the run began. */
  readonly ts?: number
  readonly [more: string]: unknown
}

export function chromeTrace(history: History): object {
  const writer = new Writer(history)
  for (const event of history.events) writer.write(event)
  const { scenario, implementation, sink } = history.header
  return { displayTimeUnit: 'ms', otherData: { implementation, scenario, sink }, traceEvents: writer.traceEvents }
}

class Writer {
  readonly traceEvents: TraceEvent[] = []
  readonly #tracks = new Map<string, number>()
  /**
   * Indexes of faults that heal. A fault that never heals is a mark, because its bar would have no
   * end.
   */
  readonly #healed: ReadonlySet<number>

  constructor(private readonly history: History) {
    this.#healed = new Set(
      indexHistory(history)
        .of('fault-healed')
        .map(({ index }) => index),
    )
  }

  write(event: HistoryEvent): void {
    this.#bars(event)
    const track = this.#trackOf(event)
    const name = sentenceOf(event, this.history) ?? (event.type === 'log' ? event.text.trimEnd() : null)
    if (track === null || name === null) return
    const { seq, atUs, type, ...args } = event
    this.#add({ ph: 'i', s: 't', cat: type, name, ts: atUs, args: { seq, ...args } }, track)
    if (event.type === 'effect-sent') this.#arrow('s', event.requestId, atUs, track)
    if (event.type === 'effect-applied') this.#arrow('f', event.requestId, atUs, track)
  }

  /**
   * Adds the begin or the end of bars. Both have the same id, on the track on which the bar began.
   */
  #bars(event: HistoryEvent): void {
    const track = this.#trackOf(event)
    if (track === null) return
    for (const { ph, cat, id, name } of this.#barsOf(event)) this.#add({ ph, cat, id, name, ts: event.atUs }, track)
  }

  #barsOf(event: HistoryEvent): readonly Bar[] {
    if (event.type === 'process-ended') return this.#cutShortBy(event)
    if (event.type === 'fault-struck' && !this.#healed.has(event.index)) return []
    const bar = barOf(event)
    return bar === null ? [] : [bar]
  }

  #cutShortBy(ended: HistoryEvent): Bar[] {
    const { deliveries, requests } = indexHistory(this.history)
    return [
      ...[...requests.values()].filter(({ cutShort }) => cutShort === ended).map(({ sent }) => requestBar('e', sent)),
      ...[...deliveries.values()]
        .filter(({ cutShort }) => cutShort === ended)
        .map(({ delivered }) => deliveryBar('e', delivered)),
    ]
  }

  #arrow(ph: 's' | 'f', requestId: number, ts: number, track: string): void {
    this.#add({ ph, ...(ph === 'f' ? { bp: 'e' } : {}), cat: 'effect', id: requestId, name: 'effect', ts }, track)
  }

  #add(event: Omit<TraceEvent, 'pid' | 'tid'> & Pick<TraceEvent, 'ph' | 'name'>, track: string): void {
    let pid = this.#tracks.get(track)
    if (pid === undefined) {
      this.#tracks.set(track, (pid = this.#tracks.size + 1))
      this.traceEvents.push({ ph: 'M', name: 'process_name', pid, tid: 1, args: { name: track } })
    }
    this.traceEvents.push({ ...event, pid, tid: 1 })
  }

  #trackOf(event: HistoryEvent): string | null {
    switch (event.type) {
      case 'published':
      case 'delivery-timed-out':
      case 'acknowledgement-lost':
      case 'settled':
        return 'broker'
      case 'effect-applied':
      case 'effect-deduplicated':
      case 'effect-refused':
      case 'effect-cancelled':
        return 'sink'
      case 'command':
        return event.node ?? 'Redis'
      case 'data-lost':
      case 'topology':
        return event.node
      case 'fault-struck':
      case 'fault-healed':
        return 'faults'
      case 'keys-counted':
      case 'all-healed':
      case 'unsupported':
      case 'ended':
        return null
      default:
        return event.process
    }
  }
}

interface Bar {
  readonly ph: 'b' | 'e'
  readonly cat: string
  readonly id: string
  readonly name: string
}

const deliveryBar = (ph: Bar['ph'], { deliveryId }: { readonly deliveryId: number }): Bar => ({
  ph,
  cat: 'delivery',
  id: `delivery-${deliveryId}`,
  name: `delivery ${deliveryId}`,
})

const requestBar = (ph: Bar['ph'], { requestId }: { readonly requestId: number }): Bar => ({
  ph,
  cat: 'request',
  id: `request-${requestId}`,
  name: `request ${requestId} to the sink`,
})

function barOf(event: HistoryEvent): Bar | null {
  switch (event.type) {
    case 'delivered':
      return deliveryBar('b', event)
    case 'answered':
    case 'threw':
      return deliveryBar('e', event)
    case 'effect-sent':
      return requestBar('b', event)
    case 'effect-answered':
      return requestBar('e', event)
    case 'process-paused':
    case 'process-resumed':
      return {
        ph: event.type === 'process-paused' ? 'b' : 'e',
        ...{ cat: 'pause', id: `pause-${event.process}`, name: 'stands still' },
      }
    case 'fault-struck':
    case 'fault-healed':
      return {
        ph: event.type === 'fault-struck' ? 'b' : 'e',
        ...{ cat: 'fault', id: `fault-${event.index}`, name: event.fault },
      }
    default:
      return null
  }
}
