/**
 * Reports the time limits that the layer sets itself to the harness, because faults should last
 * about as long.
 */
import { report } from './gates.ts'

/** The original function. The harness's timers do not count as limits of the layer. */
export const realTimeout = globalThis.setTimeout

const reported = new Set<number>()

export function noteLimit(ms: number): void {
  if (!Number.isInteger(ms) || ms < 1 || reported.has(ms)) return
  reported.add(ms)
  report({ type: 'limit', ms })
}

/** Records the delays of timers, which work as before. */
export function noteTimers(): void {
  const noting = (callback: () => void, delayMs?: number, ...args: []) => {
    noteLimit(Number(delayMs))
    return realTimeout(callback, delayMs, ...args)
  }
  globalThis.setTimeout = Object.assign(noting, realTimeout) as typeof setTimeout
}
