/**
 * Compares replies that contain the remaining lifetime of a key. They differ because a real clock
 * advances between a run's commands.
 */
import { type ReplyNode, readReply } from 'test-servers'
import type { Lifetime } from './lifetimes.ts'

/**
 * True if the replies are equal except for numbers that are one of the model's lifetimes. In the
 * real reply, these numbers may be smaller by up to `lostMs`.
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

/** The unit of PTTL, and the unit of TTL, which is rounded. */
const units: readonly ((ms: number) => number)[] = [(ms) => ms, (ms) => Math.floor((ms + 500) / 1000)]

/**
 * True if the replies are equal except for non-negative integers. A negative integer means that
 * there is no lifetime, which does not depend on time.
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
