import type { RedisEnvironment } from '../environment.ts'
import { notInteger, outOfRange } from '../errors.ts'
import { type Int64, int64Min, parseInt64 } from '../numbers/int64.ts'
import { ErrorReply } from '../resp/reply.ts'

/**
 * Maximum number of elements for a negative count, a limit of the simulation. Real Redis would
 * build a reply of any size, or crash.
 */
const repetitionLimit = 1_000_000

/**
 * Random choice of HRANDFIELD and SRANDMEMBER: a positive count returns that number of distinct
 * elements (all of them in order, if there are no more); a negative count returns elements with
 * repetition.
 */
export function sample(from: readonly string[], count: number, environment: RedisEnvironment): string[] | ErrorReply {
  if (count < -repetitionLimit) {
    environment.unsupported('a random choice of more than a million')
    return outOfRange
  }
  if (count < 0) return Array.from({ length: -count }, () => one(from, environment))
  if (count >= from.length) return [...from]
  const rest = [...from]
  for (let at = 0; at < count; at++) {
    const other = at + environment.random(rest.length - at)
    ;[rest[at], rest[other]] = [rest[other]!, rest[at]!]
  }
  return rest.slice(0, count)
}

export function one(from: readonly string[], environment: RedisEnvironment): string {
  return from[environment.random(from.length)]!
}

/**
 * The number of elements to choose. The smallest integer is refused, because it cannot be negated.
 */
export function sampleCount(text: string): Int64 | ErrorReply {
  const count = parseInt64(text)
  if (count === undefined) return notInteger
  if (count !== int64Min) return count
  return new ErrorReply('ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807')
}
