/**
 * Groups the losses of servers by the event at the same moment that caused them: a discarded write,
 * a fault, a promotion. An expiry is grouped with the command that discovered it.
 */
import type { HistoryEvent } from '../contract/api/history.ts'
import type { EventOf } from '../contract/api/history-index.ts'
import { isQueued, type Transaction } from './transactions.ts'

export function lossesByEvent(
  events: readonly HistoryEvent[],
  transactions: readonly Transaction[],
): Map<HistoryEvent, EventOf<'data-lost'>[]> {
  const found = new Map<HistoryEvent, EventOf<'data-lost'>[]>()
  for (const [at, loss] of events.entries()) {
    if (loss.type !== 'data-lost') continue
    const isBy = (event: HistoryEvent | undefined) => event?.atUs === loss.atUs && bringsLoss(event, loss, transactions)
    const by = [
      events.slice(at + 1).find(({ type }) => type !== 'data-lost'),
      events.slice(0, at).findLast(({ type }) => type !== 'data-lost'),
    ].find(isBy)
    if (by !== undefined) found.set(by, [...(found.get(by) ?? []), loss])
  }
  return found
}

function bringsLoss(
  event: HistoryEvent,
  { node, cause, redisKeys = [] }: EventOf<'data-lost'>,
  transactions: readonly Transaction[],
): boolean {
  if (event.type === 'command' && isQueued(event)) return false
  if (event.type === 'command' && (event.node ?? node) !== node) return false
  if (cause === 'expiry') {
    if (event.type !== 'command') return false
    const executed = [event, ...(transactions.find(({ exec }) => exec === event)?.commands ?? [])]
    const words = new Set(executed.flatMap(({ command }) => command.split(' ')))
    return redisKeys.every((key) => words.has(key))
  }
  if (event.type === 'command') return true
  return event.type === 'fault-struck' || (event.type === 'topology' && event.what === 'promoted')
}
