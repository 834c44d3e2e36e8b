/**
 * The modes of heavyweight locks, weakest first:
 * https://www.postgresql.org/docs/15/explicit-locking.html#LOCKING-TABLES
 */
export type Mode = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

const conflicts: Readonly<Record<Mode, readonly Mode[]>> = {
  1: [8],
  2: [7, 8],
  3: [5, 6, 7, 8],
  4: [4, 5, 6, 7, 8],
  5: [3, 4, 6, 7, 8],
  6: [3, 4, 5, 6, 7, 8],
  7: [2, 3, 4, 5, 6, 7, 8],
  8: [1, 2, 3, 4, 5, 6, 7, 8],
}

/** For each mode, the bits of the modes that conflict with it. */
const conflictBits: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((mode) =>
  (conflicts[mode as Mode] ?? []).reduce((bits, one) => bits | bitOf(one), 0),
)

export function bitOf(mode: Mode): number {
  return 1 << mode
}

export function conflict(a: Mode, b: Mode): boolean {
  return conflictsWithAny(a, bitOf(b))
}

/** True if `mode` conflicts with one of the modes in `bits`. */
export function conflictsWithAny(mode: Mode, bits: number): boolean {
  return (conflictBits[mode]! & bits) !== 0
}

/** The names in error messages and pg_locks. */
export const modeNames: Readonly<Record<Mode, string>> = {
  1: 'AccessShareLock',
  2: 'RowShareLock',
  3: 'RowExclusiveLock',
  4: 'ShareUpdateExclusiveLock',
  5: 'ShareLock',
  6: 'ShareRowExclusiveLock',
  7: 'ExclusiveLock',
  8: 'AccessExclusiveLock',
}
