import { executionAsyncId } from 'node:async_hooks'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

/** A turn of the event loop that is this late can swap two timers or sockets. */
const stallMs = 5
const reports = 20

/**
 * Watches another resource of the machine that may stall. `stop` returns the longest stall of that
 * resource in milliseconds.
 */
export type WatchStalls = () => Promise<{ stop(): number }>

/**
 * Compares a program in virtual time with the same program in real time, which is the reference. If
 * the reports differ although this process was delayed, or the timers of a turn were started in
 * different milliseconds, the difference does not count and the program runs again.
 */
export async function judgedByRealTime(
  virtual: string[],
  reportReal: () => Promise<string[]>,
  watchToo: WatchStalls = async () => ({ stop: () => 0 }),
): Promise<string[]> {
  for (let left = reports; ; left--) {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    const stalls = await watchToo()
    delay.enable()
    await looked(delay)
    const starts = watchTimerStarts()
    // Lines that are logged after the end of the program, while the clock is read, do not count.
    const real = [...(await reportReal().finally(starts.stop))]
    await looked(delay)
    delay.disable()
    const comparable = Math.max(delay.max / 1e6, stalls.stop()) <= stallMs && !starts.straddled()
    if (!isDeepStrictEqual(virtual, real) && !comparable && left > 1) continue
    expect(virtual).toEqual(real)
    return real
  }
}

/**
 * Waits for the next reading of the clock: the histogram records the delay between two readings, so
 * the program must run between two of them. Source: `Histogram::RecordDelta` in src/histogram.cc of
 * Node 20.
 */
async function looked(delay: IntervalHistogram): Promise<void> {
  for (const before = delay.count; delay.count === before; ) await new Promise((resolve) => setTimeout(resolve, 1))
}

/**
 * Virtual time does not advance within a turn. Real Node reads the clock for each timer that a turn
 * starts: two timers of one delay that are started in different milliseconds fire in two rounds of
 * the event loop. Source: `insert` and `listOnTimeout` in lib/internal/timers.js of Node 20.
 */
function watchTimerStarts() {
  const original = globalThis.setTimeout
  const starts = new Map<number, Set<number>>()
  globalThis.setTimeout = new Proxy(original, {
    apply(start, self, args) {
      const timer: NodeJS.Timeout & { _idleStart: number } = Reflect.apply(start, self, args)
      const turn = executionAsyncId()
      starts.set(turn, (starts.get(turn) ?? new Set()).add(timer._idleStart))
      return timer
    },
  })
  return {
    stop: () => void (globalThis.setTimeout = original),
    straddled: () => [...starts.values()].some((times) => times.size > 1),
  }
}
