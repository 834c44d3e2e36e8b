import type { HistoryIndex } from '../contract/api/history-index.ts'

/**
 * Time of the last fault or healing, in virtual microseconds; 0 if there was none. (A run that came
 * to rest has no open fault, because the run waits for every fault that heals.)
 */
export function healedAtUs(reading: HistoryIndex): number {
  const times = [...reading.of('fault-struck'), ...reading.of('fault-healed')].map(({ atUs }) => atUs)
  return Math.max(0, ...times)
}
