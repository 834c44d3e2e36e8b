/**
 * Detects that an attempt at another key caused a violation at this key, because the layer uses one
 * record or lock for two keys (a digest of the payload, a truncated key, a lock for each customer).
 */
import { type DeliveryRecord, endOfDelivery, isOpenAt } from '../../../contract/api/history-index.ts'
import { keysInWords } from '../../../contract/results/whose-command.ts'
import { textOf } from '../../../sim/world/text-of.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { changeOf, isClaim, isLook, isScript, keysNamedBy } from './commands.ts'
import type { Evidence } from './evidence.ts'
import { fateOf, sharesKey } from './fate.ts'
import { memberIn } from './members.ts'
import { wasFree } from './parts.ts'

export interface Meeting {
  /** The command with which the attempt at the violated key read or claimed its record or lock. */
  readonly question: ExecutedCommand
  /** The command that caused the violation. The attempt `other`, at the other key, sent it. */
  readonly by: ExecutedCommand
  readonly other: DeliveryRecord
  /**
   * `found`: the attempt found what the other attempt had written. `deleted`: the other attempt
   * deleted what an attempt at the violated key had written. `replaced`: the other attempt
   * overwrote what an attempt at the violated key had written.
   */
  readonly how: 'found' | 'deleted' | 'replaced'
}

/** The delivery that sent a command; undefined if unknown. */
export function senderOf(command: ExecutedCommand, { reading }: Evidence): DeliveryRecord | undefined {
  const { sentFor, process, args } = command
  if (sentFor !== undefined) return reading.deliveries.get(sentFor)
  const open = [...reading.deliveries.values()].filter(
    (one) => one.delivered.process === process && isOpenAt(one, command),
  )
  const named = keysInWords(args.map(textOf), reading)
  const [only] = open.length === 1 ? open : open.filter(({ delivered }) => named.has(delivered.key))
  return open.length === 1 || named.size === 1 ? only : undefined
}

/** The meeting of the two keys; null if no other key is known to have caused the violation. */
export function meetingOf(evidence: Evidence): Meeting | null {
  const { decided, attempts, violation } = evidence
  if (violation.key === null || decided?.command == null || decided.shared) return null
  if (attempts === null) return foundBy(evidence, decided.command)
  const questions = decided.steps.filter((one) => isLook(one) || isClaim(one))
  for (const question of questions.toReversed()) {
    const lost = lostBy(evidence, question)
    if (lost !== null) return lost
  }
  return null
}

/**
 * A record of another key that blocked the attempt, or that the attempt treated as its own record.
 */
function foundBy(evidence: Evidence, question: ExecutedCommand): Meeting | null {
  if (wasFree(question)) return null
  const fate = fateOf(evidence, question)
  if (fate.how !== 'written' && fate.how !== 'unknown') return null
  const other = otherSender(fate.by, evidence)
  if (other === null) return null
  // A script may read one member of a larger structure; in that case, the arguments of the script
  // contain the violated key.
  const isWhole = fate.how === 'written' || (isScript(question) && !namesOwnKey(question, evidence))
  return isWhole && !wasOwnBefore(evidence, question) ? { question, by: fate.by, other, how: 'found' } : null
}

/**
 * True if the question is a script and an attempt at the violated key used the same Redis key
 * before. In that case, the script does not prove a collision of keys.
 */
function wasOwnBefore(evidence: Evidence, question: ExecutedCommand): boolean {
  if (!isScript(question)) return false
  const keys = new Set(keysNamedBy(question))
  return evidence.executed
    .slice(0, evidence.executed.indexOf(question))
    .some((one) => sharesKey(one, keys) && senderOf(one, evidence)?.delivered.key === evidence.violation.key)
}

/**
 * An attempt at another key deleted or overwrote what an attempt at the violated key had written.
 */
function lostBy(evidence: Evidence, question: ExecutedCommand): Meeting | null {
  const { executed, violation } = evidence
  const fate = fateOf(evidence, question)
  if (fate.how !== 'deleted' && fate.how !== 'written') return null
  const other = otherSender(fate.by, evidence)
  if (other === null || memberIn(question) !== null) return null
  const keys = new Set(keysNamedBy(question))
  const before = executed.slice(0, executed.indexOf(fate.by))
  const was = before.findLast((one) => sharesKey(one, keys) && changeOf(one) !== 'none')
  if (was === undefined || changeOf(was) !== 'written') return null
  if (senderOf(was, evidence)?.delivered.key !== violation.key) return null
  if (fate.how === 'deleted') return wasFree(question) ? { question, by: fate.by, other, how: 'deleted' } : null
  return isLook(question) ? { question, by: fate.by, other, how: 'replaced' } : null
}

function otherSender(command: ExecutedCommand, evidence: Evidence): DeliveryRecord | null {
  const sender = senderOf(command, evidence)
  return sender === undefined || sender.delivered.key === evidence.violation.key ? null : sender
}

const namesOwnKey = ({ args }: ExecutedCommand, { reading, violation }: Evidence): boolean =>
  keysInWords(args.map(textOf), reading).has(violation.key!)

/** The end of a cause: `order-2 and order-1 meet in lock:customer-7`. */
export function meetText({ question, by, other }: Meeting, { violation }: Evidence): string {
  const [name] = keysNamedBy(question).filter((key) => keysNamedBy(by).includes(key))
  const keys = [violation.key!, other.delivered.key]
  const [own, others] = lookAlike(keys[0]!, keys[1]!) ? keys.map(inCodes) : keys
  return `${brief(own!)} and ${brief(others!)} meet in ${brief(name ?? '')}`
}

const lookAlike = (one: string, other: string): boolean => one.normalize('NFKC') === other.normalize('NFKC')

/** Escapes characters outside of ASCII. */
const inCodes = (text: string): string =>
  text.replaceAll(/[^ -~]/gu, (letter) => `\\u{${letter.codePointAt(0)!.toString(16)}}`)

/** Abbreviates digests to eight hex digits, which are enough to distinguish them. */
const brief = (name: string): string => {
  const text = name.replaceAll(/\b([0-9a-f]{8})[0-9a-f]{24,}\b/g, '$1…')
  return text.length > 60 ? `${text.slice(0, 28)}…${text.slice(-28)}` : text
}

/** The `seq` of the events that the story shows. Only recorded runs have traces of commands. */
export function shownOf({ by, question, other }: Meeting, { history, decided }: Evidence): number[] {
  const traces = [by, question].map(({ seq }) => history.events[seq - 1])
  const events = [other.delivered, ...traces, endOfDelivery(other)]
  const until = decided!.actedSeq
  return events.flatMap((event) => (event !== undefined && event.seq <= until ? [event.seq] : []))
}
