/**
 * A run with what its calls tell of senders: each command with the delivery that sent it, and each
 * request to the sink with its own. A hot run has none of it. A process that had several deliveries
 * of a key is then taken for what histories alone tell of it, so that runs are compared by the run
 * as it was given, and told as this one.
 */
import type { History, HistoryEvent } from '../../contract/api/history.ts'
import { type DeliveryRecord, type HistoryIndex, indexHistory } from '../../contract/api/history-index.ts'
import { keysInWords } from '../../contract/results/whose-command.ts'
import { textOf } from '../../sim/world/text-of.ts'
import type { RunResult } from '../types.ts'

type Run = Pick<RunResult, 'history' | 'executed' | 'sentFor'>
type Attributed = Pick<RunResult, 'history' | 'executed'>

/** Runs are asked about once for each of their violations. */
const known = new WeakMap<History, Attributed>()

export function attributed({ history, executed, sentFor }: Run): Attributed {
  if (sentFor === undefined) return { history, executed }
  const before = known.get(history)
  if (before !== undefined) return before
  const reading = indexHistory(history)
  const { deliveries } = reading
  const commands = executed.map((command, at) => {
    const delivery = deliveries.get(sentFor.commands[at] ?? -1)
    if (delivery === undefined || !mayHaveSent(delivery, command, reading)) return command
    return { ...command, sentFor: delivery.delivered.deliveryId }
  })
  const events = history.events.map((event): HistoryEvent => {
    if (event.type !== 'effect-sent' || event.deliveryId !== null) return event
    const delivered = deliveries.get(sentFor.requests.get(event.requestId) ?? -1)?.delivered
    const isOwn = delivered !== undefined && delivered.key === event.key && delivered.process === event.process
    return isOwn ? { ...event, deliveryId: delivered.deliveryId } : event
  })
  const told = { history: { ...history, events }, executed: commands }
  known.set(history, told)
  return told
}

/** A command that names other messages may be of several deliveries: some layers collect keys. */
function mayHaveSent({ delivered }: DeliveryRecord, command: Attributed['executed'][number], reading: HistoryIndex) {
  if (delivered.process !== command.process || delivered.seq >= command.seq) return false
  const named = keysInWords(command.args.map(textOf), reading)
  return named.size === 0 || (named.size === 1 && named.has(delivered.key))
}
