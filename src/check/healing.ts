import type { Reading } from '../contract/reading.ts'

/** When everything that heals had healed, in virtual microseconds; 0 where nothing struck; null where it never came. */
export function healedAtUs(reading: Reading): number | null {
  const healed = reading.of('all-healed').at(-1)
  if (healed) return healed.atUs
  return reading.of('fault-struck').length === 0 ? 0 : null
}

/** Why nothing can be said about the time after healing, or null where it can. */
export const whyNeverHealed = (reading: Reading): string | null =>
  healedAtUs(reading) === null ? 'faults struck and the run ended before all of them had healed' : null
