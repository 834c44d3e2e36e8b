/**
 * Adds senders to a recorded run: for each command and each request to the sink, the delivery that
 * sent it. A hot run does not record senders, so they are inferred from the history if a process
 * has several deliveries of a key. Therefore runs are compared without senders, and reported with
 * them.
 */
import type { History, HistoryEvent } from '../../contract/api/history.ts'
import {
  type DeliveryRecord,
  type EventOf,
  type HistoryIndex,
  indexHistory,
  isOpenAt,
} from '../../contract/api/history-index.ts'
import { keysInWords, openBeside } from '../../contract/results/whose-command.ts'
import { textOf } from '../../sim/world/text-of.ts'
import type { RunResult } from '../types.ts'

type Run = Pick<RunResult, 'history' | 'executed' | 'sentFor'>
type Attributed = Pick<RunResult, 'history' | 'executed'>

/** A cache, because a run is read once for each of its violations. */
const known = new WeakMap<History, Attributed>()

export function attributed({ history, executed, sentFor }: Run): Attributed {
  if (sentFor === undefined) return { history, executed }
  const before = known.get(history)
  if (before !== undefined) return before
  const reading = indexHistory(history)
  const { deliveries } = reading
  const made = executed.map((command, at) => ({ command, delivery: deliveries.get(sentFor.commands[at] ?? -1) }))
  const commands = made.map(({ command, delivery }) => {
    if (delivery === undefined || !mayHaveSent(delivery, command, made, reading)) return command
    return { ...command, sentFor: delivery.delivered.deliveryId }
  })
  // In a recorded run, the trace of a command directly precedes the events after the command.
  const bySeq = new Map(commands.map(({ seq, sentFor: one }) => [seq - 1, one]))
  const senders = [...sentFor.requests.values()]
  /**
   * A client that shares a connection may run the callback of one delivery in the context of
   * another. In that case, one delivery has two requests, and the other has none.
   */
  const mayBeOfOther = (event: EventOf<'effect-sent'>, id: number): boolean =>
    senders.filter((one) => one === id).length > 1 &&
    reading
      .deliveriesOf(event.key)
      .some(
        (one) =>
          one.delivered.process === event.process &&
          isOpenAt(one, event) &&
          !senders.includes(one.delivered.deliveryId),
      )
  const events = history.events.map((event): HistoryEvent => {
    if (event.type === 'command') {
      const one = bySeq.get(event.seq)
      return one === undefined ? event : { ...event, sentFor: one }
    }
    if (event.type !== 'effect-sent') return event
    const id = sentFor.requests.get(event.requestId) ?? -1
    if (event.deliveryId === null ? mayBeOfOther(event, id) : event.deliveryId !== id) return event
    const delivered = deliveries.get(id)?.delivered
    const isOwn = delivered !== undefined && delivered.key === event.key && delivered.process === event.process
    if (!isOwn) return event
    const unanswered = sentFor.unanswered.get(event.requestId)
    return { ...event, deliveryId: delivered.deliveryId, ...(unanswered && { unanswered }) }
  })
  const told = { history: { ...history, events }, executed: commands }
  known.set(history, told)
  return told
}

interface Made {
  readonly command: Attributed['executed'][number]
  /** The delivery during whose handling the command was sent. */
  readonly delivery: DeliveryRecord | undefined
}

/**
 * True if `mine` may have sent the command. Some layers batch keys: while they handle one delivery,
 * they send the commands of several. So a command that names only another key usually belongs to
 * the delivery of that key. It belongs to `mine` if `mine` sends no such command for its own key,
 * and each delivery of the other key sends one. Then the layer uses one name for two keys.
 */
function mayHaveSent(mine: DeliveryRecord, command: Made['command'], made: readonly Made[], reading: HistoryIndex) {
  const { delivered } = mine
  if (delivered.process !== command.process || delivered.seq >= command.seq) return false
  const named = namedBy(command, reading)
  if (named.size === 0 || (named.size === 1 && named.has(delivered.key))) return true
  const alike = made.filter(({ command: one }) => one.label === command.label && one.process === command.process)
  const isOwn = (one: Made) => one.delivery === mine && namedBy(one.command, reading).has(delivered.key)
  const others = openBeside(command, mine, reading).filter((one) => named.has(one.delivered.key))
  return named.size === 1 && !alike.some(isOwn) && others.every((one) => alike.some(({ delivery }) => delivery === one))
}

const namedBy = ({ args }: Made['command'], reading: HistoryIndex) => keysInWords(args.map(textOf), reading)
