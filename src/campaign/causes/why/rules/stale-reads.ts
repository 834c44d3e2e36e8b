/**
 * A rule about an eventually consistent read of DynamoDB that missed a write with another outcome.
 * For each read that missed a write, the run has the reply of a consistent read.
 */
import { epochMs } from 'virtual-node/kernel'
import type { ExecutedCommand } from '../../../../sim/world.ts'
import { isShared, word } from '../../deciding-step.ts'
import { nameOf } from '../commands.ts'
import type { Evidence, Rule } from '../evidence.ts'
import { atUsOf } from '../fate.ts'
import { jsonOf } from '../refused-condition.ts'

type Value = { readonly N?: string; readonly S?: string }
type Item = Readonly<Record<string, Value>>

/** The violations by an attempt that performed, or answered, because of a read. */
const kinds =
  /^(duplicate|zombie|repeat-after-.*|done-without-effect|different-result|answered-as-if-the-same|refused-.*)$/

export const readWasStale: Rule = (evidence) => {
  const { attempts, decided, violation, history, reading } = evidence
  if (decided === null || !kinds.test(violation.kind)) return null
  const read = decided.steps.findLast(isRead)
  if (read?.missed === undefined || isShared(read, decided.delivery, reading)) return null
  if (decided.steps.slice(decided.steps.indexOf(read)).some(isConditionalWrite)) return null
  const what = whatWasMissed(read, evidence)
  if (what === null || performsAllTheSame(read, evidence)) return null
  const acted = history.events[decided.actedSeq]
  const then = acted?.type === 'answered' ? `answered ${acted.outcome.status}` : 'performed again'
  if (attempts === null && acted?.type !== 'answered') return null
  return `${nameOf(read)} of ${attempts === null ? 'the' : 'the next'} attempt was not consistent, and missed the last write to the item (it answered ${what}); so the attempt ${then}`
}

const isRead = ({ label }: ExecutedCommand): boolean => /^(GetItem|BatchGetItem|Query|Scan)\b/.test(label)

/** True for a write with a condition. The condition decides, whatever an earlier read returned. */
const isConditionalWrite = ({ args }: ExecutedCommand): boolean =>
  /^(Put|Update|Delete)Item|^TransactWrite/.test(args[0]!) && args[1]!.includes('"ConditionExpression"')

/** The difference between the reply and the item, if it can change the decision of a layer. */
function whatWasMissed(read: ExecutedCommand, evidence: Evidence): string | null {
  const [old, latest] = [read.reply, read.missed].map(itemIn)
  if (old === undefined && latest === undefined) return null
  if (old === undefined) return 'no item, though one was there'
  if (latest === undefined) return 'an item that was deleted'
  for (const [name, { S: before }] of Object.entries(old)) {
    const after = latest[name]?.S
    if (before !== undefined && after !== undefined && before !== after && word.test(before) && word.test(after))
      return `${name} ${before}, the item had ${after}`
  }
  const nowMs = epochMs + atUsOf(evidence, read) / 1000
  for (const [name, { N: before }] of Object.entries(old)) {
    const [from, to] = [before, latest[name]?.N].map(timeOf)
    if (from !== undefined && to !== undefined && from <= nowMs && to > nowMs)
      return `${name} ${before}, the item had ${latest[name]!.N}, which was not over`
  }
  return null
}

/** Converts seconds or milliseconds since the Unix epoch to milliseconds. */
const timeOf = (number: string | undefined): number | undefined =>
  number === undefined ? undefined : Number(number) * (Number(number) < 1e11 ? 1000 : 1)

/** The only item of a reply; undefined if there is not exactly one. */
function itemIn(answer: unknown): Item | undefined {
  const { Item: item, Items: items, Responses: tables } = (jsonOf(answer) ?? {}) as Readonly<Record<string, unknown>>
  const all = item ? [item] : [items ?? Object.values(tables ?? {})].flat(2)
  return all.length === 1 ? (all[0] as Item) : undefined
}

/**
 * True if another attempt called the sink although its read had returned the state that this
 * attempt's read missed.
 */
function performsAllTheSame(read: ExecutedCommand, { executed, reading }: Evidence): boolean {
  const missed = stateOf(itemIn(read.missed))
  if (missed === stateOf(itemIn(read.reply))) return false
  return reading.of('effect-sent').some((sent) => {
    const last = executed.findLast(
      (one) =>
        isRead(one) &&
        one.process === sent.process &&
        one.seq <= sent.seq &&
        (one.sentFor === undefined || one.sentFor === sent.deliveryId),
    )
    return last !== undefined && stateOf(itemIn(last.reply)) === missed
  })
}

/** The attributes of an item whose values are words. */
const stateOf = (item: Item | undefined): string =>
  item === undefined
    ? 'no item'
    : Object.entries(item)
        .flatMap(([name, { S: text = '' }]) => (word.test(text) ? `${name} ${text}` : []))
        .sort()
        .join()
