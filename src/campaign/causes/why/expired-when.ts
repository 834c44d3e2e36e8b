/**
 * Bounds the time when a claim expired. A run records the expiry when Redis notices it: at the next
 * command that names the key, which may be much later.
 */
import { keysNamedBy, lifetimeOf, setsTtl } from './commands.ts'
import type { Evidence } from './evidence.ts'
import { atUsOf, type Fate, sharesKey } from './fate.ts'

export interface ExpiryBounds {
  readonly earliestUs: number
  readonly latestUs: number
}

/**
 * The earliest and the latest time of the expiry. The two are equal if the time to live was set
 * once and no clock was changed.
 */
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
  // The key still existed when its time to live was last set.
  const keys = new Set(keysNamedBy(was))
  const given = evidence.executed.findLast((one) => one.seq <= lost.seq && setsTtl(one) && sharesKey(one, keys))
  return { earliestUs: atUsOf(evidence, given ?? was), latestUs: lost.atUs }
}
