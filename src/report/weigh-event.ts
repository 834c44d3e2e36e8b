/** Weighs an event for the story of one violation. */
import type { History, HistoryEvent } from '../contract/api/history.ts'
import { type EventOf, type HistoryIndex, indexHistory, isOpenAt } from '../contract/api/history-index.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { keysNamedIn } from '../contract/results/keys-named-in.ts'
import { transactionsOf } from './transactions.ts'

/** Commands that clients send by themselves. */
const handshakes = /^(hello|client|info|auth|select|readonly|ping|command|script)\b/i

/** The subject of the story. */
export interface Scope {
  readonly key: string | null
  readonly showing: ReadonlySet<number>
  readonly processes: ReadonlySet<string>
  readonly reading: HistoryIndex
  /**
   * `seq` of the commands that took the jobs of the shown effects, and of the commands that
   * finished those jobs.
   */
  readonly takings: ReadonlySet<number>
  /** The commands of each EXEC as one text, by `seq` of the EXEC. */
  readonly executed: ReadonlyMap<number, string>
}

const slotOf = (process: string): string => process.replace(/\.\d+$/, '')

export function scopeOf(history: History, { key, events }: Violation, until: number): Scope {
  const reading = indexHistory(history)
  const handed = reading.of('delivered').filter((event) => event.seq <= until && (key === null || event.key === key))
  const processes = new Set(handed.map(({ process }) => slotOf(process)))
  const executed = new Map(
    transactionsOf(reading).map(({ exec, commands }) => [exec.seq, commands.map(({ command }) => command).join(' ')]),
  )
  const jobs = [...reading.requests.values()].filter(({ applied, sent }) => {
    return sent.job !== undefined && applied !== undefined && events.includes(applied.seq)
  })
  for (const { sent } of jobs) processes.add(slotOf(sent.process))
  // A trace is written directly before its command counts as executed.
  const takings = new Set(
    jobs.flatMap(({ sent: { job } }) => [job!.seq - 1, ...(job!.ended?.by == null ? [] : [job!.ended.seq - 1])]),
  )
  return { key, showing: new Set(events), processes, takings, reading, executed }
}

/**
 * True if the event's key is that of the story. The event may name the key, the message, the
 * delivery or the request.
 */
function isOfKey(event: HistoryEvent, { key, reading }: Scope): boolean {
  if (key === null) return true
  if ('key' in event) return event.key === key
  if ('messageId' in event)
    return reading.of('published').some((one) => one.key === key && one.messageId === event.messageId)
  if ('deliveryId' in event) return reading.deliveries.get(event.deliveryId)?.delivered.key === key
  if ('requestId' in event) return reading.requests.get(event.requestId)?.sent.key === key
  return false
}

/** True for a loss of records that are all named after other keys. */
function isOfOtherKeys({ redisKeys = [] }: EventOf<'data-lost'>, { key, reading }: Scope): boolean {
  if (key === null || redisKeys.length === 0) return false
  return redisKeys.every((name) => isNamedAfterOthers(name, key, reading))
}

function isNamedAfterOthers(text: string, key: string, reading: HistoryIndex): boolean {
  const named = keysNamedIn(text, reading.of('published'))
  return named.size > 0 && !named.has(key)
}

/** A fault of a process belongs to the story only if the process was involved with the key. */
const isReported = ({ process }: EventOf<'fault-struck'>, { processes }: Scope): boolean =>
  process === undefined || processes.has(slotOf(process))

/** True if a fault at the same moment has a sentence that implies this event. */
const isReportedByFault = (event: HistoryEvent, { reading }: Scope): boolean =>
  [...reading.of('fault-struck'), ...reading.of('fault-healed')].some(({ atUs }) => atUs === event.atUs)

/** True if that process was handling a delivery of the key. */
const isAtWork = (process: string, event: HistoryEvent, scope: Scope): boolean =>
  [...scope.reading.deliveries.values()].some(
    (delivery) =>
      delivery.delivered.process === process &&
      (scope.key === null || delivery.delivered.key === scope.key) &&
      isOpenAt(delivery, event),
  )

function commandWeight(event: EventOf<'command'>, scope: Scope): number | null {
  const command = scope.executed.get(event.seq) ?? event.command
  if (handshakes.test(event.command)) return null
  if (scope.takings.has(event.seq)) return 1
  const sender = event.sentFor === undefined ? undefined : scope.reading.deliveries.get(event.sentFor)
  if (sender !== undefined && scope.key !== null && sender.delivered.key !== scope.key) return null
  if (!isAtWork(event.process, event, scope)) return deletesRows(event, scope) ? 2 : null
  if (scope.key === null) return 2
  const named = keysNamedIn(command, scope.reading.of('published'))
  if (named.has(scope.key)) return 2
  return named.size > 0 ? null : undoes(event) || deletesRows(event, scope) ? 2 : 4
}

/** True for deleted rows of PostgreSQL that may be those of the key. */
const deletesRows = ({ command, reply }: EventOf<'command'>, { key, reading }: Scope): boolean =>
  /^DELETE [1-9]/.test(reply) && (key === null || !isNamedAfterOthers(command, key, reading))

/**
 * True for an error of PostgreSQL, or a COMMIT that rolled back: the changes of the transaction are
 * undone.
 */
const undoes = ({ command, reply }: EventOf<'command'>): boolean =>
  /^error [0-9A-Z]{5} /.test(reply) || (/^(commit|end)\b/i.test(command) && reply === 'ROLLBACK')

/**
 * The weight of a log line: it is shown if its process is working on the key, unless the line names
 * only other keys.
 */
function logWeight(event: EventOf<'log'>, scope: Scope): number | null {
  if (!isAtWork(event.process, event, scope)) return null
  if (scope.key === null) return 4
  const named = keysNamedIn(event.text, scope.reading.of('published'))
  return named.has(scope.key) ? 3 : named.size > 0 ? null : 4
}

/**
 * True for a message whose produced-at time is wrong, so that its age is misjudged. A copy has the
 * produced-at time of its message.
 */
const hasWrongProducedAt = ({ copy, producedAtOffMs = 0 }: EventOf<'published'>): boolean =>
  !copy && producedAtOffMs !== 0

/**
 * A corrected clock jumps again, so records that were written by the wrong clock live for too long
 * or too short.
 */
const healedWeight = ({ fault }: EventOf<'fault-healed'>): number => (fault === 'clock-step' ? 1 : 3)

/**
 * True if a message was delivered before the event. Role changes of servers before the first
 * delivery do not belong to the story.
 */
const wasHandedOver = ({ key, reading }: Scope, { seq }: HistoryEvent): boolean =>
  reading.of('delivered').some((event) => event.seq < seq && (key === null || event.key === key))

/** The weight of an event: 0 is indispensable, 4 is shown if there is room, null is never shown. */
export function weightOf(event: HistoryEvent, scope: Scope): number | null {
  if (event.type.startsWith('process-') && isReportedByFault(event, scope)) return null
  if (scope.showing.has(event.seq) && event.type !== 'published') return 0
  switch (event.type) {
    case 'effect-applied':
    case 'effect-sent':
    case 'effect-refused':
    case 'effect-cancelled':
    case 'answered':
    case 'threw':
      return isOfKey(event, scope) ? 1 : null
    case 'delivered':
    case 'effect-answered':
    case 'effect-deduplicated':
      return isOfKey(event, scope) ? 2 : null
    case 'settled':
    case 'delivery-timed-out':
    case 'acknowledgement-lost':
      return isOfKey(event, scope) ? 3 : null
    case 'published':
      return isOfKey(event, scope) ? (hasWrongProducedAt(event) ? 1 : 4) : null
    case 'fault-struck':
      return isReported(event, scope) ? 1 : null
    case 'fault-healed':
      return scope.reading.of('fault-struck').some((one) => one.index === event.index && isReported(one, scope))
        ? healedWeight(event)
        : null
    case 'data-lost':
      return isOfOtherKeys(event, scope) ? null : 1
    case 'topology':
      return event.what === 'promoted' ? 1 : wasHandedOver(scope, event) ? 3 : null
    case 'process-ended':
    case 'process-paused':
    case 'process-resumed':
      return scope.processes.has(slotOf(event.process)) ? 1 : null
    case 'lock':
      return isOfKey(event, scope) ? 3 : null
    case 'reply-lost':
    case 'request-lost':
      return isReportedByFault(event, scope) || !isAtWork(event.process, event, scope) ? null : 2
    case 'command':
      return commandWeight(event, scope)
    case 'log':
      return logWeight(event, scope)
    case 'process-started':
    case 'command-strayed':
    case 'all-healed':
    case 'keys-counted':
    case 'unanswered':
    case 'unsupported':
    case 'ended':
    case 'network':
      return null
  }
}
