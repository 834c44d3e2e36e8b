import type { History } from '../../contract/api/history.ts'
import { indexHistory } from '../../contract/api/history-index.ts'
import type { CommandTrace, KeyChange, RunTrace } from '../../contract/results/run-trace.ts'
import type { InFlightMessage } from '../../contract/results/timeline.ts'
import { visible } from '../../contract/results/visible.ts'
import type { Lanes } from './lanes.ts'

/** All that went from one lane to another, by the event that it belongs to. */
export function inFlightMessagesOf(history: History, runTrace: RunTrace, lanes: Lanes): InFlightMessage[] {
  const messages = [
    ...brokerMessages(history, lanes),
    ...runTrace.commands.flatMap((command) => commandMessages(command, history, lanes)),
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

function commandMessages(command: CommandTrace, { events }: History, lanes: Lanes): InFlightMessage[] {
  const [from, to] = [lanes.of(command.process), lanes.of(command.node)]
  if (from === null || to === null || command.refused) return []
  const { sentUs, executedUs, repliedUs, lostUs, label } = command
  const seq =
    command.seq ??
    lossOf(command, events) ??
    Math.max(
      0,
      events.findLastIndex(({ atUs }) => atUs <= sentUs),
    )
  const text = visible(label)
  const request: InFlightMessage = { kind: 'request', from, to, sentUs, arrivedUs: executedUs, seq, text }
  if (executedUs === null) return [request]
  const sent = { from: to, to: from, sentUs: executedUs, arrivedUs: lostUs === null ? repliedUs : null }
  return [request, { kind: 'reply', ...sent, seq, text }]
}

/** The event that says that a command never arrived. */
function lossOf({ process, label, lostUs }: CommandTrace, events: History['events']): number | undefined {
  return events.find(
    (event) =>
      event.type === 'request-lost' && event.process === process && event.command === label && event.atUs === lostUs,
  )?.seq
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

/** What a server got from another one: the same under the same key, and no consumer's command put it there. */
function copyMessages({ keys }: RunTrace, lanes: Lanes): InFlightMessage[] {
  return keys.flatMap((change, at) => {
    if (change.by !== undefined) return []
    const source = keys.slice(0, at).findLast((one) => one.key === change.key && one.node !== change.node)
    if (source === undefined || !isSame(source, change) || source.by === undefined) return []
    const [from, to] = [lanes.of(source.node)!, lanes.of(change.node)!]
    const times = { sentUs: source.atUs, arrivedUs: change.atUs }
    return [{ kind: 'copy', from, to, ...times, seq: source.seq, text: visible(`copy of ${change.key}`) } as const]
  })
}

const isSame = (one: KeyChange, other: KeyChange): boolean => one.value === other.value
