/**
 * The time limits that the layer sets itself, told to the harness: faults last about as long as
 * them.
 */
import { report } from './gates.ts'

/** The harness's own timers are not the layer's. */
export const realTimeout = globalThis.setTimeout

const reported = new Set<number>()

export function noteLimit(ms: number): void {
  if (!Number.isInteger(ms) || ms < 1 || reported.has(ms)) return
  reported.add(ms)
  report({ type: 'limit', ms })
}

/** Timers work as before; their delays are noted. */
export function noteTimers(): void {
  const noting = (callback: () => void, delayMs?: number, ...args: []) => {
    noteLimit(Number(delayMs))
    return realTimeout(callback, delayMs, ...args)
  }
  globalThis.setTimeout = Object.assign(noting, realTimeout) as typeof setTimeout
}
