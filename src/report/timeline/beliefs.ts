import type { History } from '../../contract/api/history.ts'
import { endOfDelivery, indexHistory } from '../../contract/api/history-index.ts'
import { msText } from '../../contract/results/time-text.ts'
import type { Bar, Belief } from '../../contract/results/timeline.ts'
import type { Lanes } from './lanes.ts'

/**
 * The beliefs of each process as they change. Beliefs that follow from messages are derived in the
 * browser (`src/report/page/browser/beliefs.ts`).
 */
export function beliefsOf(history: History, leases: readonly Bar[], lanes: Lanes): Belief[] {
  const beliefs: Belief[] = []
  const note = (process: string | number, at: { seq: number; atUs: number }, about: string, text: string | null) => {
    const lane = typeof process === 'number' ? process : lanes.of(process)
    if (lane !== null) beliefs.push({ seq: at.seq, atUs: at.atUs, lane, about, text })
  }
  /** The last event up to that time. */
  const at = (atUs: number) => ({ atUs, seq: history.events.findLastIndex((event) => event.atUs <= atUs) })
  const ended = new Map<number, number[]>()
  for (const event of history.events) {
    if (event.type === 'process-started') note(event.process, event, 'state', `${event.process} runs`)
    if (event.type === 'process-paused') note(event.process, event, 'state', `${event.process} stands still`)
    if (event.type === 'process-resumed') note(event.process, event, 'state', `${event.process} runs`)
    if (event.type !== 'process-ended') continue
    const lane = lanes.of(event.process)
    for (const about of ['heard', 'asked']) note(event.process, event, about, null)
    note(event.process, event, 'state', `${event.process} is gone`)
    if (lane !== null) ended.set(lane, [...(ended.get(lane) ?? []), event.atUs])
  }
  for (const delivery of indexHistory(history).deliveries.values()) {
    const { delivered } = delivery
    const about = `handling ${delivered.deliveryId}`
    note(delivered.process, delivered, about, `works on ${delivered.messageId}, attempt ${delivered.attempt}`)
    const end = endOfDelivery(delivery)
    if (end !== undefined) note(delivered.process, end, about, null)
  }
  for (const { lane, key, fromUs, untilUs, lapses } of leases) {
    const howLong = lapses ? ` until ${msText(untilUs)}, by its own clock` : ''
    note(lane, at(fromUs), `holds ${key}`, `believes that it holds ${key}${howLong}`)
    note(lane, at(untilUs), `holds ${key}`, null)
  }
  return beliefs.sort((a, b) => a.atUs - b.atUs || a.seq - b.seq)
}
