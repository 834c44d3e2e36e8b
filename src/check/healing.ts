import type { HistoryIndex } from '../contract/api/history-index.ts'

/**
 * Since when no fault has struck or healed, in virtual microseconds; 0 where there was none. (A run
 * that came to rest has none open: the world waits for every fault that heals.)
 */
export function healedAtUs(reading: HistoryIndex): number {
  const times = [...reading.of('fault-struck'), ...reading.of('fault-healed')].map(({ atUs }) => atUs)
  return Math.max(0, ...times)
}
