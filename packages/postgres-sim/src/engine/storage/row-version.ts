import type { LockTag } from '../locks/lock-tag.ts'
import type { Value } from '../values/value.ts'

/**
 * The four strengths of a row lock, weakest first:
 * https://www.postgresql.org/docs/15/explicit-locking.html#LOCKING-ROWS
 */
export const rowLocks = { keyShare: 0, share: 1, noKeyUpdate: 2, update: 3 } as const
export type RowLockMode = 0 | 1 | 2 | 3

/** Whether a lock of the one mode keeps another transaction from the other mode. */
export function rowLocksConflict(a: RowLockMode, b: RowLockMode): boolean {
  if (a === 0 || b === 0) return a === 3 || b === 3
  return a >= 2 || b >= 2
}

export interface RowLock {
  readonly xid: number
  readonly mode: RowLockMode
}

/** One version of a row: who made it, who replaced or deleted it, who holds it locked. */
export class RowVersion {
  /** Its place: (0, tid). */
  readonly tid: number
  values: readonly Value[]
  readonly xmin: number
  readonly cmin: number
  /** Who updated or deleted it; 0: nobody. */
  xmax = 0
  cmax = 0
  /** What the updater or deleter holds of it. */
  xmaxMode: RowLockMode = 3
  /** The version that an update made of it; null: it was deleted. */
  next: RowVersion | null = null
  locks: RowLock[] = []
  /** The lock of ON CONFLICT while it may still take the row back. */
  speculative: LockTag | null = null

  constructor(tid: number, values: readonly Value[], xmin: number, cmin: number) {
    this.tid = tid
    this.values = values
    this.xmin = xmin
    this.cmin = cmin
  }
}
