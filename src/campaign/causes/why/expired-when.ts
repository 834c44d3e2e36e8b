/**
 * When a claim expired. A run learns of it when Redis does: at the next command that names the key,
 * which may be much later.
 */
import { keysNamedBy, lifetimeOf, setsLife } from './commands.ts'
import type { Evidence } from './evidence.ts'
import { atUsOf, type Fate, sharesKey } from './fate.ts'

export interface ExpiryBounds {
  readonly earliestUs: number
  readonly latestUs: number
}

/** Both are one time where the time to live was given once, and no clock was touched. */
export function expiryBounds(
  evidence: Evidence,
  { was, lived, lost }: Extract<Fate, { how: 'expired' }>,
): ExpiryBounds {
  if (was === null) return { earliestUs: 0, latestUs: lost.atUs }
  const lifetimeMs = lived === null ? null : lifetimeOf(lived)
  const isSteady = !evidence.reading.of('fault-struck').some(({ fault }) => fault.startsWith('clock-'))
  if (lifetimeMs !== null && isSteady) {
    const atUs = atUsOf(evidence, was) + lifetimeMs * 1000
    return { earliestUs: atUs, latestUs: atUs }
  }
  // It was there when it was last given a time to live.
  const keys = new Set(keysNamedBy(was))
  const given = evidence.executed.findLast((one) => one.seq <= lost.seq && setsLife(one) && sharesKey(one, keys))
  return { earliestUs: atUsOf(evidence, given ?? was), latestUs: lost.atUs }
}
