/** Evidence from exchanges on connections that were silently forgotten. */

import { refuted, type Seen, seen, unseen } from './evidence.ts'
import type { Exchange } from './exchanges.ts'

/**
 * `exchanges`: the exchanges on these connections. `fromMs`: the time (`monotonicMs`) of the turn
 * in which the connections are forgotten. Nothing that is sent later may be answered.
 */
export function seenOfSilence(exchanges: readonly Exchange[], fromMs: number): Seen {
  if (exchanges.some(({ sentMs, answeredMs }) => sentMs >= fromMs && answeredMs !== null))
    return refuted('a half-open connection was answered')
  return exchanges.some(({ answeredMs }) => answeredMs === null) ? seen : unseen('nothing was sent on it')
}
