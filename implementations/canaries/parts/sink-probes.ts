/** Sends harmless requests to the sink repeatedly, to observe the connection to it. */
import { lookOften } from './look.ts'
import type { Around } from './per-fault.ts'

export interface Probe {
  readonly sentMs: number
  /** Infinity if no answer came in time. */
  readonly answeredMs: number
}

/** Returns the probes in the order of sending, 20 ms apart. */
export function probeSink({ context: { sink } }: Around, forMs: number): Promise<Probe[]> {
  const probe = async (): Promise<Probe> => {
    const sentMs = performance.now()
    const answeredMs = await sink.lookup!('canary').then(
      () => performance.now(),
      () => Number.POSITIVE_INFINITY,
    )
    return { sentMs, answeredMs }
  }
  return lookOften(20, probe, forMs)
}
