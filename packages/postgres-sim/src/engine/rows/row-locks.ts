import type { Table } from '../catalog/relations.ts'
import { transactionTag, tupleTag } from '../locks/lock-tag.ts'
import type { Mode } from '../locks/modes.ts'
import type { Run, Running } from '../run.ts'
import { SqlError } from '../sql-error.ts'
import { type RowLockMode, type RowVersion, rowLocksConflict } from '../storage/row-version.ts'

export type LockResult = 'locked' | 'updated' | 'deleted' | 'would block' | 'own'
/** How to proceed if another transaction has locked the row. */
export type WaitPolicy = 'wait' | 'skip' | 'refuse'

/** The purpose of a row lock, for the context of error messages. */
export type Purpose = 'locking' | 'updating' | 'deleting' | 'rechecking updated'

/**
 * The mode of the heavyweight lock for which sessions queue while they wait for a row, by the mode
 * of the row lock.
 */
const tupleLockModes: Readonly<Record<RowLockMode, Mode>> = { 0: 1, 1: 2, 2: 7, 3: 8 }

/**
 * Waits until no other transaction blocks this lock on a version of a row. Returns the state of the
 * version. The first waiter holds the tuple lock of the row ("the place in line") and waits for the
 * transaction that has locked the row. Further waiters wait for the tuple lock. If `follows` is
 * true, also locks later versions: queries that lock rows need this, changes of rows do not.
 * https://www.postgresql.org/docs/15/explicit-locking.html#LOCKING-ROWS
 */
export function* acquireRow(
  run: Run,
  table: Table,
  version: RowVersion,
  mode: RowLockMode,
  policy: WaitPolicy,
  purpose: Purpose,
  follows = false,
): Running<LockResult> {
  const { backend } = run
  const { ids } = backend.database
  const tag = tupleTag(table.oid, version.tid)
  const place = tupleLockModes[mode]
  const updatesWaitedFor = new Set<number>()
  let inLine = false
  /** The update and the locks of the version at the time of the last wait. */
  let waitedFor: Pick<RowVersion, 'xmax' | 'locks'> | null = null
  try {
    for (;;) {
      const gone = replaced(run, version)
      if (gone === 'own') return 'own'
      const isHeld = gone !== null && isStillLocked(run, version)
      const hasWaited = waitedFor?.xmax === version.xmax && waitedFor.locks === version.locks
      // FOR KEY SHARE does not conflict with changes of other columns.
      const isInTheWay = gone !== null && rowLocksConflict(version.xmaxMode, mode)
      if (isInTheWay && (!isHeld || hasWaited)) {
        // A session that waited for an update locks the later versions before it checks the row. A
        // session that waited only for a lock does not, even if the lock holder has updated the row
        // since.
        if (gone === 'updated' && follows && updatesWaitedFor.has(version.xmax))
          yield* lockLaterVersions(run, table, version, mode)
        if (inLine) {
          // The sessions that wait for the tuple lock wake as well. All of them search for the
          // latest version, in any order.
          backend.unlock(tag, place)
          inLine = false
          yield* backend.giveWay()
        }
        return gone
      }
      if (holdsAsMuch(run, version, mode)) return 'locked'
      const others = conflicting(run, version, mode)
      if (others.length === 0 && !isInTheWay) {
        if (mode !== 0 || !follows) return 'locked'
        const later = yield* lockLaterVersions(run, table, version, mode)
        // Another session that woke at the same time may have deleted the version. Then this
        // session starts over (heap_lock_tuple of PostgreSQL 15).
        if (later !== 'locked' || !isKeyGone(run, version)) return later
        continue
      }
      if (isInTheWay || others.includes(version.xmax)) updatesWaitedFor.add(version.xmax)
      const { xmax, locks } = version
      const isMember = ownLocks(run, version).length > 0
      if (!inLine && !isMember) {
        if (policy === 'wait') yield* backend.lock(tag, place, 'transient')
        else if (!backend.tryLock(tag, place, 'transient')) return refuse(policy, table)
        inLine = true
        // The row may have changed while the session waited for the tuple lock.
        if (policy === 'wait' && others.some((xid) => ids.statusOf(xid) !== 'active')) continue
      }
      for (const xid of others) {
        if (policy !== 'wait') {
          if (!backend.tryLock(transactionTag(xid), 5, 'transient')) return refuse(policy, table)
          backend.unlock(transactionTag(xid), 5)
        } else
          yield* backend.waitForTransaction(
            xid,
            `while ${purpose} tuple (0,${version.tid}) in relation "${table.name}"`,
          )
      }
      if (isInTheWay) waitedFor = { xmax, locks }
    }
  } finally {
    if (inLine) backend.unlock(tag, place)
  }
}

/**
 * True if no transaction has changed the row and no other transaction has locked it, so that
 * `acquireRow` would not wait. FOR KEY SHARE must still check later versions.
 */
export function isFree(run: Run, version: RowVersion, mode: RowLockMode): boolean {
  if (version.xmax !== 0 || mode === 0) return false
  for (const lock of version.locks) if (isOthers(run, lock.xid) && rowLocksConflict(lock.mode, mode)) return false
  return true
}

/** True if this id belongs to another active transaction. */
function isOthers({ backend }: Run, xid: number): boolean {
  const { ids, topXid } = backend
  return ids.statusOf(xid) === 'active' && (topXid === 0 || ids.top(xid) !== topXid)
}

/**
 * Locks the later versions that updates have created, because a row lock also applies to them.
 * Waits for conflicting transactions, whatever the policy is.
 */
function* lockLaterVersions(run: Run, table: Table, version: RowVersion, mode: RowLockMode): Running<LockResult> {
  const { ids } = run.backend
  let at = version
  while (at.next && ids.statusOf(at.xmax) !== 'aborted') {
    at = at.next
    for (;;) {
      const [other] = conflicting(run, at, mode)
      if (other === undefined) break
      yield* run.backend.waitForTransaction(
        other,
        `while locking updated version (0,${at.tid}) of tuple in relation "${table.name}"`,
      )
    }
    const gone = replaced(run, at)
    if (gone && gone !== 'own' && rowLocksConflict(at.xmaxMode, mode)) return gone
    // The version is marked immediately, so that no concurrent session gets ahead.
    markVersion(run, at, mode)
  }
  return 'locked'
}

/** True if the version was deleted or its key was changed, and the change was not rolled back. */
function isKeyGone({ backend }: Run, { xmax, xmaxMode }: RowVersion): boolean {
  return xmax !== 0 && backend.ids.statusOf(xmax) !== 'aborted' && rowLocksConflict(xmaxMode, 0)
}

function refuse(policy: WaitPolicy, table: Table): LockResult {
  if (policy === 'skip') return 'would block'
  throw new SqlError('55P03', `could not obtain lock on row in relation "${table.name}"`)
}

/**
 * True if an active transaction has locked the version. Even a committed update of such a version
 * still blocks: a new session takes the tuple lock and waits for the conflicting lockers before it
 * goes to the next version. HeapTupleSatisfiesUpdate in heapam_visibility.c of PostgreSQL 15 checks
 * whether any member of such a multixact is in progress, including the session's own transaction.
 */
function isStillLocked({ backend }: Run, { locks }: RowVersion): boolean {
  return locks.some(({ xid }) => backend.ids.statusOf(xid) === 'active')
}

/**
 * Returns how a committed transaction, or the session's own transaction, has replaced the version;
 * null if neither has replaced it.
 */
function replaced(run: Run, version: RowVersion): 'updated' | 'deleted' | 'own' | null {
  if (version.xmax === 0) return null
  const { ids } = run.backend.database
  const status = ids.statusOf(version.xmax)
  if (status === 'aborted') return null
  if (status === 'committed') return version.next ? 'updated' : 'deleted'
  return ids.top(version.xmax) === run.backend.topXid ? 'own' : null
}

function ownLocks(run: Run, version: RowVersion) {
  const { ids } = run.backend.database
  const own = run.backend.topXid
  return version.locks.filter(({ xid }) => own !== 0 && ids.statusOf(xid) === 'active' && ids.top(xid) === own)
}

function holdsAsMuch(run: Run, version: RowVersion, mode: RowLockMode): boolean {
  return ownLocks(run, version).some((lock) => lock.mode >= mode)
}

/**
 * The ids of other transactions whose locks or changes conflict with the mode, the oldest first.
 */
function conflicting(run: Run, version: RowVersion, mode: RowLockMode): number[] {
  const holders = version.locks.map(({ xid, mode: held }) => [xid, held] as const)
  if (version.xmax !== 0) holders.push([version.xmax, version.xmaxMode])
  const found = holders.filter(([xid, held]) => isOthers(run, xid) && rowLocksConflict(held, mode))
  return [...new Set(found.map(([xid]) => xid))].sort((a, b) => a - b)
}

/**
 * Records the lock on the version and on all later versions, which only updates that do not
 * conflict with the lock can have created.
 */
export function markLocked(run: Run, version: RowVersion, mode: RowLockMode): void {
  for (let at: RowVersion | null = version; at; ) {
    markVersion(run, at, mode)
    at = at.xmax !== 0 && run.backend.ids.statusOf(at.xmax) !== 'aborted' ? at.next : null
  }
}

/** Adds the lock to one version. Removes the locks of ended transactions. */
function markVersion(run: Run, version: RowVersion, mode: RowLockMode): void {
  const xid = run.backend.currentXid()
  const { ids } = run.backend.database
  version.locks = version.locks.filter((lock) => ids.statusOf(lock.xid) === 'active')
  if (version.locks.some((lock) => lock.xid === xid && lock.mode >= mode)) return
  version.locks = [...version.locks.filter((lock) => lock.xid !== xid), { xid, mode }]
}

/** Locks a version of a row; if it was updated, locks the latest version instead. */
export function* lockLatest(
  run: Run,
  table: Table,
  version: RowVersion,
  mode: RowLockMode,
  policy: WaitPolicy,
): Running<RowVersion | 'deleted' | 'would block'> {
  const result = yield* acquireRow(run, table, version, mode, policy, 'locking')
  if (result === 'updated') return yield* lockNext(run, table, version, mode, policy, false)
  return outcomeOf(run, version, mode, result)
}

/**
 * Locks the latest version of a row, starting from a replaced version. Skips versions that
 * committed updates have replaced, even if they are locked. Waits for an update in progress without
 * the tuple lock (heapam_tuple_lock of PostgreSQL 15).
 */
export function* lockNext(
  run: Run,
  table: Table,
  from: RowVersion,
  mode: RowLockMode,
  policy: WaitPolicy,
  follows: boolean,
): Running<RowVersion | 'deleted' | 'would block'> {
  const { backend } = run
  let version = from
  for (;;) {
    const gone = replaced(run, version)
    if (gone === 'updated') {
      version = version.next!
      continue
    }
    if (gone !== null) return 'deleted'
    if (version.xmax !== 0 && backend.ids.statusOf(version.xmax) === 'active') {
      if (policy === 'skip' && !canSee(run, version.xmax)) return 'would block'
      if (policy === 'refuse' && !canSee(run, version.xmax)) refuse(policy, table)
      yield* backend.waitForTransaction(
        version.xmax,
        `while rechecking updated tuple (0,${version.tid}) in relation "${table.name}"`,
      )
      continue
    }
    // Other sessions that woke at the same time may change the version between the check and the
    // lock. This session then waits for the tuple lock.
    yield* backend.giveWay()
    const result = yield* acquireRow(run, table, version, mode, policy, 'locking', follows)
    if (result !== 'updated') return outcomeOf(run, version, mode, result)
  }
}

function outcomeOf(
  run: Run,
  version: RowVersion,
  mode: RowLockMode,
  result: Exclude<LockResult, 'updated'>,
): RowVersion | 'deleted' | 'would block' {
  if (result !== 'locked') return result === 'would block' ? result : 'deleted'
  markLocked(run, version, mode)
  return version
}

function canSee(run: Run, xid: number): boolean {
  if (!run.backend.tryLock(transactionTag(xid), 5, 'transient')) return false
  run.backend.unlock(transactionTag(xid), 5)
  return true
}
