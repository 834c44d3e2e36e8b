/**
 * Folds attempts that did not contribute to a violation: they sent the same commands, received the
 * same replies and ended in the same way as another attempt that is shown, without an effect. One
 * attempt of each group is shown, with the number of the others in the group. An attempt that sent
 * anything else is shown separately, because the difference may be the cause.
 */
import type { History, HistoryEvent } from '../contract/api/history.ts'
import {
  type DeliveryRecord,
  type EventOf,
  endOfDelivery,
  type HistoryIndex,
  indexHistory,
  isOpenAt,
  type RequestRecord,
} from '../contract/api/history-index.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { asLabelled } from './command-name.ts'
import { isRefused } from './fold-refused.ts'
import { markOf } from './fold-repeats.ts'

/** Counts the omitted attempts of a group. */
export interface FoldedAttempts {
  /** The last event of the shown attempt. */
  readonly afterSeq: number
  readonly attempts: number
  /** The time when the last omitted attempt ended. */
  readonly untilUs: number
}

interface Attempt {
  readonly delivery: DeliveryRecord
  readonly commands: EventOf<'command'>[]
  /**
   * True if Cluster nodes refused some of the attempt's commands. The number and the names of
   * refused commands are shown separately.
   */
  wasRefused: boolean
}

export function foldAttempts(
  history: History,
  { key, events }: Pick<Violation, 'key' | 'events'>,
): { readonly left: ReadonlySet<number>; readonly folded: readonly FoldedAttempts[] } {
  const left = new Set<number>()
  const folded: FoldedAttempts[] = []
  if (key === null) return { left, folded }
  const until = Math.max(...events, 0)
  const before = attemptsWithoutEffect(indexHistory(history), key, new Set(events)).filter(
    ({ delivery }) => endOfDelivery(delivery)!.seq <= until,
  )
  for (const alike of sorted(before)) {
    const [reported, ...others] = alike
    const end = endOfDelivery(reported!.delivery)
    // The count takes one line, so it must replace at least two lines.
    if (end === undefined || others.length * Math.max(1, reported!.commands.length) < 2) continue
    for (const { seq } of others.flatMap(eventsOf)) left.add(seq)
    const ends = others.map(({ delivery }) => endOfDelivery(delivery)!.atUs)
    folded.push({ afterSeq: end.seq, attempts: others.length, untilUs: Math.max(...ends) })
  }
  return { left, folded }
}

/** Attempts at the key that did not call the sink and did not end early, with their commands. */
function attemptsWithoutEffect(reading: HistoryIndex, key: string, showing: ReadonlySet<number>): Attempt[] {
  const requests = reading.requestsOf(key)
  const all = reading.deliveriesOf(key)
  const found = all
    .filter((delivery) => {
      const { delivered, answered, threw } = delivery
      const end = endOfDelivery(delivery)
      if ((threw ?? answered) === undefined || showing.has(delivered.seq) || showing.has(end!.seq)) return false
      return !requests.some(
        (request) =>
          (request.delivery === delivery && !wasOver(delivery, request, all)) ||
          (request.delivery === undefined && request.sent.process === delivered.process),
      )
    })
    .map((delivery): Attempt => ({ delivery, commands: [], wasRefused: false }))
  for (const command of reading.of('command')) {
    if (command.ofStart) continue
    const open = all.filter((one) => one.delivered.process === command.process && isOpenAt(one, command))
    const mine = found.filter(({ delivery }) => open.includes(delivery))
    const busy = open.filter((one) => !mine.some(({ delivery }) => delivery === one))
    // A command belongs to this delivery if all other open deliveries of the process are waiting
    // for the sink.
    const waits = (one: DeliveryRecord) =>
      requests.some(
        ({ delivery, sent, answered }) =>
          delivery === one && sent.seq < command.seq && !(answered && answered.seq < command.seq),
      )
    if (isRefused(command)) for (const one of mine) one.wasRefused = true
    else if (mine.length > 0 && busy.every(waits))
      mine.sort((a, b) => a.commands.length - b.commands.length)[0]!.commands.push(command)
  }
  return found
}

/**
 * True if the delivery ended before the request was answered, and another delivery of the key in
 * the process did not. If a process has several open deliveries, the sender of a request is not
 * known, but it must be a delivery that waited for the answer.
 */
function wasOver(delivery: DeliveryRecord, { sent, answered }: RequestRecord, all: readonly DeliveryRecord[]): boolean {
  if (sent.deliveryId !== null) return false
  const isOver = (one: DeliveryRecord) => {
    const end = endOfDelivery(one)
    return end !== undefined && (answered === undefined || end.seq < answered.seq)
  }
  const open = all.filter((one) => one.delivered.process === sent.process && isOpenAt(one, sent))
  return isOver(delivery) && open.some((one) => !isOver(one))
}

/** Groups attempts by commands, replies and ending. */
function sorted(attempts: readonly Attempt[]): Attempt[][] {
  const sorts = new Map<string, Attempt[]>()
  for (const attempt of attempts) {
    const { delivery, commands, wasRefused } = attempt
    const marks = [...commands, endOfDelivery(delivery)!].map((event) => asLabelled(markOf(event) ?? ''))
    const sort = [wasRefused, ...marks].join('\n').toLowerCase()
    sorts.set(sort, [...(sorts.get(sort) ?? []), attempt])
  }
  return [...sorts.values()]
}

function eventsOf({ delivery, commands }: Attempt): HistoryEvent[] {
  const own = [delivery.delivered, delivery.answered, delivery.threw, delivery.timedOut, delivery.acknowledgementLost]
  return [...own.filter((event) => event !== undefined), ...commands]
}
