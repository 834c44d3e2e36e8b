/**
 * Converts a server's time to the run's clock. The server's clock is read at the beginning and at
 * the end of a run, each time with an error of at most half a round trip.
 */
export interface ClockReading {
  readonly serverUs: number
  readonly runUs: number
}

/** The number of readings; the fastest one is used. */
const tries = 5

/** Reads the server's clock. `ask`: returns the server's time in microseconds since the epoch. */
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

/**
 * Converts a time of the server. Assumes that clocks keep a constant pace between the two readings.
 */
export function onRunClock(serverUs: number, first: ClockReading, last: ClockReading): number {
  const spanUs = last.serverUs - first.serverUs
  const pace = spanUs > 0 ? (last.runUs - first.runUs) / spanUs : 1
  return Math.round(first.runUs + (serverUs - first.serverUs) * pace)
}
