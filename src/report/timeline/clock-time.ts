import type { ClockReading } from '../../contract/results/timeline.ts'

/**
 * The time that the clock of a lane shows at `atUs`, in microseconds since the run began; equal to
 * `atUs` if the clock was never wrong.
 */
export function localUs(clocks: readonly ClockReading[], lane: number, atUs: number): number {
  const reading = clocks.findLast((one) => one.lane === lane && one.atUs <= atUs)
  return reading === undefined ? atUs : shownBy(reading, atUs)
}

/**
 * The first moment from `fromUs` on at which the clock shows at least `local`; null if the run ends
 * before.
 */
export function worldUs(
  clocks: readonly ClockReading[],
  lane: number,
  { fromUs, endUs, local }: { readonly fromUs: number; readonly endUs: number; readonly local: number },
): number | null {
  const readings = clocks.filter((one) => one.lane === lane)
  const first = readings.findLastIndex(({ atUs }) => atUs <= fromUs)
  const own: readonly ClockReading[] = first === -1 ? [{ atUs: 0, lane, aheadUs: 0, pace: 1_000_000 }] : []
  const from = [...own, ...readings.slice(Math.max(0, first))]
  for (const [at, reading] of from.entries()) {
    const untilUs = from[at + 1]?.atUs ?? endUs
    const startUs = Math.max(fromUs, reading.atUs)
    const missing = local - shownBy(reading, startUs)
    if (missing <= 0) return startUs
    if (reading.pace === 0) continue
    const thenUs = startUs + Math.ceil((missing * 1_000_000) / reading.pace)
    if (thenUs <= untilUs) return thenUs
  }
  return null
}

const shownBy = ({ atUs, aheadUs, pace }: ClockReading, nowUs: number): number =>
  atUs + aheadUs + Math.trunc(((nowUs - atUs) * pace) / 1_000_000)
