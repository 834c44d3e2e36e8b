import type { History, HistoryEvent } from '../../contract/api/history.ts'
import { indexHistory } from '../../contract/api/history-index.ts'
import type { CommandTrace, KeyChange, RunTrace } from '../../contract/results/run-trace.ts'
import type { InFlightMessage } from '../../contract/results/timeline.ts'
import { visible } from '../../contract/results/visible.ts'
import type { Lanes } from './lanes.ts'

/** All messages between lanes, sorted by their events. */
export function inFlightMessagesOf(history: History, runTrace: RunTrace, lanes: Lanes): InFlightMessage[] {
  const losses = history.events.filter(isLoss)
  const messages = [
    ...brokerMessages(history, lanes),
    ...runTrace.commands.flatMap((command) => commandMessages(command, history, losses, lanes)),
    ...effectMessages(history, lanes),
    ...copyMessages(runTrace, lanes),
  ]
  return messages.sort((a, b) => a.seq - b.seq || a.sentUs - b.sentUs)
}

function brokerMessages(history: History, lanes: Lanes): InFlightMessage[] {
  return [...indexHistory(history).deliveries.values()].flatMap(({ delivered, answered, acknowledgementLost }) => {
    const lane = lanes.of(delivered.process)
    if (lane === null) return []
    const { atUs, seq, messageId } = delivered
    const to: InFlightMessage = {
      ...{ kind: 'delivery', from: lanes.broker, to: lane, sentUs: atUs, arrivedUs: atUs, seq },
      text: messageId,
    }
    if (answered === undefined) return [to]
    const arrivedUs = acknowledgementLost === undefined ? answered.atUs : null
    const back: InFlightMessage = {
      ...{ kind: 'answer', from: lane, to: lanes.broker, sentUs: answered.atUs, arrivedUs, seq: answered.seq },
      text: `${answered.outcome.status} for ${messageId}`,
    }
    return [to, back]
  })
}

function commandMessages(
  command: CommandTrace,
  { events }: History,
  losses: readonly Loss[],
  lanes: Lanes,
): InFlightMessage[] {
  const [from, to] = [lanes.of(command.process), lanes.of(command.node)]
  if (from === null || to === null || command.refused) return []
  const { sentUs, executedUs, repliedUs, lostUs, label } = command
  const seq = command.seq ?? lossOf(command, losses) ?? Math.max(0, lastUntil(events, sentUs))
  const text = visible(label)
  const request: InFlightMessage = { kind: 'request', from, to, sentUs, arrivedUs: executedUs, seq, text }
  if (executedUs === null) return [request]
  const sent = { from: to, to: from, sentUs: executedUs, arrivedUs: lostUs === null ? repliedUs : null }
  return [request, { kind: 'reply', ...sent, seq, text }]
}

/** The event that records that a command was lost on the way. */
function lossOf({ process, label, lostUs }: CommandTrace, losses: readonly Loss[]): number | undefined {
  return losses.find((event) => event.process === process && event.command === label && event.atUs === lostUs)?.seq
}

type Loss = Extract<HistoryEvent, { type: 'request-lost' }>

const isLoss = (event: HistoryEvent): event is Loss => event.type === 'request-lost'

/** The index of the last event up to that time; -1 if all events are later. */
function lastUntil(events: History['events'], atUs: number): number {
  let [from, to] = [0, events.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (events[middle]!.atUs <= atUs) from = middle + 1
    else to = middle
  }
  return from - 1
}

function effectMessages(history: History, lanes: Lanes): InFlightMessage[] {
  return [...indexHistory(history).requests.values()].flatMap(({ sent, applied, refused, deduplicated, answered }) => {
    const lane = lanes.of(sent.process)
    if (lane === null) return []
    const reached = applied ?? refused ?? deduplicated
    const there: InFlightMessage = {
      ...{ kind: 'effect', from: lane, to: lanes.sink, sentUs: sent.atUs, arrivedUs: reached?.atUs ?? null },
      ...{ seq: reached?.seq ?? sent.seq, fromSeq: sent.seq, text: visible(`effect for ${sent.key}`) },
    }
    if (reached === undefined) return [there]
    const arrivedUs = answered === undefined || answered.answer === 'error' ? null : answered.atUs
    const back: InFlightMessage = {
      ...{ kind: 'receipt', from: lanes.sink, to: lane, sentUs: reached.atUs, arrivedUs, seq: reached.seq },
      text: answered?.answer ?? 'no answer',
    }
    return [there, back]
  })
}

/**
 * Copies between servers: a value appears under the same key as on another server, without a
 * consumer's command.
 */
function copyMessages({ keys }: RunTrace, lanes: Lanes): InFlightMessage[] {
  /** For each key, the last change on each server, in the order of the changes. */
  const lastOnEach = new Map<string, readonly KeyChange[]>()
  return keys.flatMap((change) => {
    const onOthers = (lastOnEach.get(change.key) ?? []).filter(({ node }) => node !== change.node)
    lastOnEach.set(change.key, [...onOthers, change])
    const source = onOthers.at(-1)
    if (change.by !== undefined || source === undefined || !isSame(source, change) || source.by === undefined) return []
    const [from, to] = [lanes.of(source.node)!, lanes.of(change.node)!]
    const times = { sentUs: source.atUs, arrivedUs: change.atUs }
    return [{ kind: 'copy', from, to, ...times, seq: source.seq, text: visible(`copy of ${change.key}`) } as const]
  })
}

const isSame = (one: KeyChange, other: KeyChange): boolean => one.value === other.value
