import type { RedisEnvironment } from '../environment.ts'

/**
 * A random choice as HRANDFIELD and SRANDMEMBER make it: a positive count takes that many different ones (all of
 * them, in order, when there are no more), a negative one takes with repetition.
 */
export function sample(from: readonly string[], count: number, { random }: RedisEnvironment): string[] {
  if (count < 0) return Array.from({ length: -count }, () => from[random(from.length)]!)
  if (count >= from.length) return [...from]
  const rest = [...from]
  for (let at = 0; at < count; at++) {
    const other = at + random(rest.length - at)
    ;[rest[at], rest[other]] = [rest[other]!, rest[at]!]
  }
  return rest.slice(0, count)
}
