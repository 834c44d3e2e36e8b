/**
 * Replaces `Date` by one that the harness shifts, for machines without libfaketime. Code that reads
 * the time directly from the kernel is not affected.
 */
import type { ClockShift } from '../host/clocks.ts'
import { replaceDate } from './replace-date.ts'

let shift: ClockShift = { offsetMs: 0, frozenAtMs: null }

export function shiftDate(to: ClockShift): void {
  shift = to
}

export function installShiftedDate(): void {
  const realNow = Date.now
  replaceDate(() => shift.frozenAtMs ?? realNow() + Math.round(shift.offsetMs))
}
