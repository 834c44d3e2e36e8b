/** What exchanges show of a link that was blocked or slow for a while. */

import { refuted, type Seen, seen, unseen } from './evidence.ts'
import type { Exchange } from './exchanges.ts'

/**
 * From when a fault was in force for certain until just before it was taken back. Times:
 * `monotonicMs`.
 */
export interface LinkWindow {
  readonly slot: number
  /** Of the links to the nodes that it is about. */
  readonly ports: readonly number[]
  /** How much longer everything takes, each way; null where nothing passes. */
  readonly extraMs: number | null
  readonly fromMs: number
  untilMs: number
}

/** Clocks of timers and of this measurement differ by so much. */
const toleranceMs = 2

const nothingSent = unseen('nothing was sent there meanwhile')

/** `exchanges`: by the window's links. */
export function seenThrough(window: LinkWindow, exchanges: readonly Exchange[]): Seen {
  return window.extraMs === null ? seenOfBlock(window, exchanges) : seenOfSlowness(window, window.extraMs, exchanges)
}

/** One direction is enough: neither lets an exchange come to its end. */
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
