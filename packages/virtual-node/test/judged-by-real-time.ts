import { executionAsyncId } from 'node:async_hooks'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

/** A turn of the event loop that is this much late can swap what two timers or sockets do. */
const stallMs = 5
const reports = 20

/**
 * Something else of the machine that may stall; its end answers for how long it did at most, in
 * milliseconds.
 */
export type WatchStalls = () => Promise<{ stop(): number }>

/**
 * What the same program does in real time, which is the judge of what it does in virtual time.
 * Where the machine let this process wait meanwhile, or a turn's timers were started on both sides
 * of a millisecond, a difference says nothing: the program runs once more. Otherwise the difference
 * counts.
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
    // What a program says once it is over, while the clock is looked at, is no part of it.
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
 * The delay is known from one look at the clock to the next, so that the program must lie between
 * two of them. Source: `Histogram::RecordDelta` in src/histogram.cc of Node 20.
 */
async function looked(delay: IntervalHistogram): Promise<void> {
  for (const before = delay.count; delay.count === before; ) await new Promise((resolve) => setTimeout(resolve, 1))
}

/**
 * Virtual time stands still within a turn. Real Node reads the clock for each timer that a turn
 * starts: two timers of one delay, started on both sides of a millisecond, fire in two rounds of
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
