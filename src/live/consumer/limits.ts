/**
 * Reports to the harness the time limits that the layer sets, because faults should last about as
 * long.
 */
import { report } from './gates.ts'

/** The original function, for timers of the harness, which are not limits of the layer. */
export const realTimeout = globalThis.setTimeout

const reported = new Set<number>()

export function noteLimit(ms: number): void {
  if (!Number.isInteger(ms) || ms < 1 || reported.has(ms)) return
  reported.add(ms)
  report({ type: 'limit', ms })
}

/** Records the delays of timers. The timers work as before. */
export function noteTimers(): void {
  const noting = (callback: () => void, delayMs?: number, ...args: []) => {
    noteLimit(Number(delayMs))
    return realTimeout(callback, delayMs, ...args)
  }
  globalThis.setTimeout = Object.assign(noting, realTimeout) as typeof setTimeout
}
