/**
 * The time of a server's own clock on the run's: asked when the run begins and when it ends, which
 * is exact to half a round trip.
 */
export interface ClockReading {
  readonly serverUs: number
  readonly runUs: number
}

/** How often it is asked; the quickest answer is taken. */
const tries = 5

/** `ask`: microseconds since the epoch, by the server. */
export async function readClock(ask: () => Promise<number>, nowUs: () => number): Promise<ClockReading> {
  let best: (ClockReading & { readonly tookUs: number }) | null = null
  for (let turn = 0; turn < tries; turn++) {
    const fromUs = nowUs()
    const serverUs = await ask()
    const tookUs = nowUs() - fromUs
    if (best === null || tookUs < best.tookUs) best = { serverUs, runUs: fromUs + tookUs / 2, tookUs }
  }
  return best!
}

/** Between two readings clocks keep one pace. */
export function onRunClock(serverUs: number, first: ClockReading, last: ClockReading): number {
  const spanUs = last.serverUs - first.serverUs
  const pace = spanUs > 0 ? (last.runUs - first.runUs) / spanUs : 1
  return Math.round(first.runUs + (serverUs - first.serverUs) * pace)
}
