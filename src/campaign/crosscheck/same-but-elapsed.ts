/**
 * Replies that tell how long a key has still to live: a real clock goes on between a run's
 * commands.
 */
import { type ReplyNode, readReply } from 'test-servers'
import type { Lifetime } from './lifetimes.ts'

/**
 * All is the same but numbers that tell one of the lifetimes in the model: they may be less by what
 * `lostMs` makes of it.
 */
export function isSameButElapsed(real: string, model: string, lostMs: number, lifetimes: readonly Lifetime[]): boolean {
  const [a, b] = [readReply(real, 0), readReply(model, 0)]
  if (a === undefined || b === undefined || !isAlike(a, b)) return false
  const mayReport = (number: number, reported: number) =>
    lifetimes.some(({ ms }) =>
      units.some((inUnit) => reported === inUnit(ms) && inUnit(ms - lostMs) <= number && number <= inUnit(ms + 1)),
    )
  const [lower, upper] = [numbersOf(a), numbersOf(b)]
  return lower.every((number, at) => number === upper[at] || mayReport(number, upper[at]!))
}

/** As PTTL has it, and as TTL does: it rounds. */
const units: readonly ((ms: number) => number)[] = [(ms) => ms, (ms) => Math.floor((ms + 500) / 1000)]

/**
 * Equal but for integers from 0 on: a negative one says that there is no lifetime, which time does
 * not change.
 */
function isAlike(a: ReplyNode, b: ReplyNode): boolean {
  return (
    a.sign === b.sign &&
    (a.text === b.text || (isNumber(a) && isNumber(b))) &&
    a.items.length === b.items.length &&
    a.items.every((item, at) => isAlike(item, b.items[at]!))
  )
}

function isNumber({ sign, text }: ReplyNode): boolean {
  return sign === ':' && text !== null && !text.startsWith('-')
}

function numbersOf(node: ReplyNode): number[] {
  return [...(isNumber(node) ? [Number(node.text)] : []), ...node.items.flatMap(numbersOf)]
}
