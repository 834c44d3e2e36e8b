/** Replies that tell how long keys have still to live, compared: a real clock went on while the run's stood still. */
import { type ReplyNode, readReply } from '../../fidelity/reply-tree.ts'

/**
 * `same`: every number of the real reply is that of the model, but for those that tell one of the lifetimes in the model, in
 * milliseconds or in seconds, or are large enough to be computed from one: they may be less by what `lostMs` makes of it.
 * `numbers`: others differ, or are further apart. `decided`: the replies differ in more than numbers, as those of a script do
 * that decides by what it read.
 */
export function compareElapsed(
  real: string,
  model: string,
  lostMs: number,
  lifetimes: ReadonlySet<number>,
): 'same' | 'numbers' | 'decided' {
  const [a, b] = [readReply(real, 0), readReply(model, 0)]
  if (a === undefined || b === undefined || !isAlike(a, b)) return 'decided'
  const [lower, upper] = [numbersOf(a), numbersOf(b)]
  const mayTell = (number: number, told: number) =>
    isComputed(number, told, lostMs) ||
    [...lifetimes].some((ms) =>
      units.some((inUnit) => told === inUnit(ms) && inUnit(ms - lostMs) <= number && number <= inUnit(ms + 1)),
    )
  return lower.every((number, at) => number === upper[at] || mayTell(number, upper[at]!)) ? 'same' : 'numbers'
}

/** Of counts, this is too many; of milliseconds, fewer than keys are given here (`Lifetimes`). */
const leastComputedMs = 1000

/** A script that adds a margin to a lifetime, or takes one off, answers what is nobody's lifetime, and less by the same time. */
function isComputed(number: number, told: number, lostMs: number): boolean {
  return told >= leastComputedMs && told - lostMs <= number && number <= told + 1
}

/** As PTTL has it, as TTL does (it rounds), and as scripts make seconds of what PTTL said. */
const units: readonly ((ms: number) => number)[] = [
  (ms) => ms,
  (ms) => Math.round(ms / 1000),
  (ms) => Math.floor(ms / 1000),
  (ms) => Math.ceil(ms / 1000),
]

/** Equal but for digits; null and negative numbers say that there is no lifetime, which time does not change. */
function isAlike(a: ReplyNode, b: ReplyNode): boolean {
  return (
    a.sign === b.sign &&
    a.text?.replace(/\d+/g, '#') === b.text?.replace(/\d+/g, '#') &&
    (!isNegative(a) || a.text === b.text) &&
    a.items.length === b.items.length &&
    a.items.every((item, at) => isAlike(item, b.items[at]!))
  )
}

/** As an integer, or as the text that a script made of one. */
function isNegative({ text }: ReplyNode): boolean {
  return text !== null && /^-\d/.test(text)
}

function numbersOf({ text, items }: ReplyNode): number[] {
  return [...(text?.match(/\d+/g) ?? []).map(Number), ...items.flatMap(numbersOf)]
}
