import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

/** A turn of the event loop that is this much late can swap what two timers or sockets do. */
const stallMs = 5
const tellings = 20

/**
 * What the same program does in real time, which is the judge of what it does in virtual time. Where the machine let this
 * process wait meanwhile, a difference says nothing, and it is told again; where it did not, the difference counts.
 */
export async function judgedByRealTime(virtual: string[], tellReal: () => Promise<string[]>): Promise<string[]> {
  for (let left = tellings; ; left--) {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const real = await tellReal()
    delay.disable()
    if (!isDeepStrictEqual(virtual, real) && delay.max / 1e6 > stallMs && left > 1) continue
    expect(virtual).toEqual(real)
    return real
  }
}
