import type { LockTag } from '../locks/lock-tag.ts'
import type { Value } from '../values/value.ts'

/**
 * The four strengths of a row lock, weakest first:
 * https://www.postgresql.org/docs/15/explicit-locking.html#LOCKING-ROWS
 */
export const rowLocks = { keyShare: 0, share: 1, noKeyUpdate: 2, update: 3 } as const
export type RowLockMode = 0 | 1 | 2 | 3

/** True if a lock in one mode prevents another transaction from a lock in the other mode. */
export function rowLocksConflict(a: RowLockMode, b: RowLockMode): boolean {
  if (a === 0 || b === 0) return a === 3 || b === 3
  return a >= 2 || b >= 2
}

export interface RowLock {
  readonly xid: number
  readonly mode: RowLockMode
}

/** One version of a row with its creator, its updater or deleter, and its locks. */
export class RowVersion {
  /** The position of the version is (0, tid). */
  readonly tid: number
  values: readonly Value[]
  readonly xmin: number
  readonly cmin: number
  /** The transaction that updated or deleted the version; 0 for the latest version. */
  xmax = 0
  cmax = 0
  /** The strength of the lock of the updater or deleter. */
  xmaxMode: RowLockMode = 3
  /** The next version after an update; null after a delete. */
  next: RowVersion | null = null
  locks: RowLock[] = []
  /**
   * The lock of a speculative insertion by ON CONFLICT, while the row may still be removed;
   * otherwise null.
   */
  speculative: LockTag | null = null

  constructor(tid: number, values: readonly Value[], xmin: number, cmin: number) {
    this.tid = tid
    this.values = values
    this.xmin = xmin
    this.cmin = cmin
  }
}
