/**
 * False beliefs of attempts: an attempt called the sink after its record in Redis was gone, and no
 * reply had revealed the loss. A belief is reported only if the traces of a recorded run prove it.
 */
import type { History, HistoryEvent } from '../contract/api/history.ts'
import {
  type DeliveryRecord,
  type EventOf,
  type HistoryIndex,
  indexHistory,
  isInferred,
  type RequestRecord,
} from '../contract/api/history-index.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { msText } from '../contract/results/time-text.ts'
import { keysInWords, mayBeOfAnother, openBeside } from '../contract/results/whose-command.ts'
import { executedBy, isQueued, type Transaction, transactionsOf } from './transactions.ts'

/** The beliefs as sentences, by `seq` of the call. */
export function beliefsOf(history: History, { events }: Pick<Violation, 'events'>): ReadonlyMap<number, string> {
  const reading = indexHistory(history)
  const transactions = transactionsOf(reading)
  const requests = events.flatMap((seq) => {
    const event = history.events[seq]
    return event?.type === 'effect-applied' ? (reading.requests.get(event.requestId) ?? []) : []
  })
  return new Map(
    requests.flatMap((request) => {
      const belief = beliefOf(request, reading, transactions)
      return belief === null ? [] : [[request.sent.seq, belief] as const]
    }),
  )
}

function beliefOf(request: RequestRecord, reading: HistoryIndex, transactions: readonly Transaction[]): string | null {
  const { sent, delivery } = request
  // If the process had other deliveries of the key, one of those may have made the call.
  if (delivery === undefined || isInferred(request)) return null
  const during = (event: HistoryEvent) => event.seq > delivery.delivered.seq && event.seq < sent.seq
  const own = reading.of('command').filter((event) => event.process === sent.process && during(event))
  for (const loss of reading.of('data-lost').filter(during).toReversed())
    for (const name of loss.redisKeys ?? []) {
      const asked = own.filter((event) => wordsOf(event).includes(name)).filter(mayBeOf(delivery, reading))
      const last = asked.at(-1)
      if (last === undefined || mayBeOfAnother({ seq: last.seq, words: wordsOf(last) }, delivery, reading)) continue
      const replied = repliedBy(last, transactions)
      if (replied !== null && replied.seq < loss.seq)
        return `${sent.process} believed that it held ${name}, ${basis(delivery, sent, replied, reading)}; it ${goneText(loss)} at ${msText(loss.atUs)}`
    }
  return null
}

const wordsOf = ({ command }: EventOf<'command'>): string[] => command.split(' ')

/** False for commands that name only other keys. */
const mayBeOf =
  ({ delivered }: DeliveryRecord, reading: HistoryIndex) =>
  (event: EventOf<'command'>): boolean => {
    const keys = keysInWords(wordsOf(event), reading)
    return keys.size === 0 || keys.has(delivered.key)
  }

/** The event that carries a command's reply: the command, or its EXEC. */
const repliedBy = (last: EventOf<'command'>, transactions: readonly Transaction[]) =>
  isQueued(last) ? executedBy(last, transactions) : last

/** The basis of the belief: the layer's own report about its lock, or else the last reply. */
function basis(
  mine: DeliveryRecord,
  { key, process, seq }: EventOf<'effect-sent'>,
  last: EventOf<'command'>,
  reading: HistoryIndex,
): string {
  const news = reading.of('lock').findLast((one) => one.process === process && one.key === key && one.seq < seq)
  const holds = news?.what === 'acquired' || news?.what === 'renewed'
  const isOwn = (one: HistoryEvent) =>
    one.seq > mine.delivered.seq && openBeside(one, mine, reading).every(({ delivered }) => delivered.key !== key)
  return holds && isOwn(news) ? `as it reported at ${msText(news.atUs)}` : `by the reply at ${msText(last.atUs)}`
}

const goneText = ({ cause }: EventOf<'data-lost'>): string =>
  cause === 'expiry' ? 'had expired' : `had been lost (${cause})`
