/** Splits a replication stream into its commands, and compares them. */
import { RequestParser } from '../../../src/resp/request-parser.ts'

export type Words = readonly string[]

/**
 * The commands of a stream, except those that depend on the time: heartbeats and requests for
 * acknowledgments.
 */
export function effectsIn(bytes: string): Words[] {
  const parser = new RequestParser(() => Number.POSITIVE_INFINITY)
  parser.feed(bytes)
  const effects: Words[] = []
  for (let words = parser.next(); Array.isArray(words); words = parser.next()) {
    if (words[0] !== 'PING' && words[0] !== 'REPLCONF') effects.push(words)
  }
  return effects
}

export function sameEffect(real: Words | undefined, simulated: Words | undefined): boolean {
  if (real === undefined || simulated === undefined || real.length !== simulated.length) return false
  return real.every((word, at) => word === simulated[at] || sameButTimes(word, simulated[at]!))
}

/**
 * Maximum difference between clock values in milliseconds. The two clocks are read one after the
 * other.
 */
const toleranceMs = 3000

/** Ids of servers, and clock values in milliseconds or microseconds, anywhere in a word. */
const ownWords = /[0-9a-f]{40}|\d{13,16}/g

function sameButTimes(a: string, b: string): boolean {
  if (a.replace(ownWords, '') !== b.replace(ownWords, '')) return false
  const [ours, theirs] = [a.match(ownWords) ?? [], b.match(ownWords) ?? []]
  return ours.every((word, at) => word === theirs[at] || word.length === 40 || sameTime(word, theirs[at]!))
}

function sameTime(a: string, b: string): boolean {
  return Math.abs(Number(a) - Number(b)) <= toleranceMs * (a.length === 16 ? 1000 : 1)
}
