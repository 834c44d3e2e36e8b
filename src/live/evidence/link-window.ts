/** Evidence from exchanges on a link that was blocked or slow for a while. */

import { refuted, type Seen, seen, unseen } from './evidence.ts'
import type { Exchange } from './exchanges.ts'

/**
 * A period that starts when a fault was certainly in force and ends just before it was undone.
 * Times are those of `monotonicMs`.
 */
export interface LinkWindow {
  readonly slot: number
  /** The ports of the links to the affected nodes. */
  readonly ports: readonly number[]
  /** The additional delay in each direction; null if nothing passes. */
  readonly extraMs: number | null
  readonly fromMs: number
  untilMs: number
}

/** The clock of timers and that of this measurement differ by at most this much. */
const toleranceMs = 2

const nothingSent = unseen('nothing was sent there meanwhile')

/** The evidence of the fault. `exchanges`: the exchanges on the window's links. */
export function seenThrough(window: LinkWindow, exchanges: readonly Exchange[]): Seen {
  return window.extraMs === null ? seenOfBlock(window, exchanges) : seenOfSlowness(window, window.extraMs, exchanges)
}

/**
 * Refutes a block if an exchange began and ended during it. One blocked direction is enough to
 * prevent that.
 */
function seenOfBlock({ fromMs, untilMs }: LinkWindow, exchanges: readonly Exchange[]): Seen {
  const passed = exchanges.some(
    ({ sentMs, answeredMs }) => sentMs >= fromMs && answeredMs !== null && answeredMs < untilMs,
  )
  if (passed) return refuted('a request on it was answered meanwhile')
  const stuck = exchanges.some(
    ({ sentMs, answeredMs }) => sentMs < untilMs && (answeredMs === null || answeredMs >= untilMs),
  )
  return stuck ? seen : nothingSent
}

function seenOfSlowness({ fromMs, untilMs }: LinkWindow, extraMs: number, exchanges: readonly Exchange[]): Seen {
  const sent = exchanges.filter(({ sentMs }) => sentMs >= fromMs && sentMs < untilMs)
  const tooFast = sent.some(
    ({ sentMs, answeredMs }) =>
      answeredMs !== null && answeredMs < untilMs && answeredMs - sentMs < 2 * extraMs - toleranceMs,
  )
  if (tooFast) return refuted('a request on it was answered as fast as before')
  return sent.length > 0 ? seen : nothingSent
}
