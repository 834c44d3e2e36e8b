import type { Table } from '../catalog/relations.ts'
import { transactionTag, tupleTag } from '../locks/lock-tag.ts'
import type { Mode } from '../locks/modes.ts'
import type { Run, Running } from '../run.ts'
import { SqlError } from '../sql-error.ts'
import { type RowLockMode, type RowVersion, rowLocksConflict } from '../storage/row-version.ts'

export type LockResult = 'locked' | 'updated' | 'deleted' | 'would block' | 'own'
/** What to do about a row that another transaction has locked. */
export type WaitPolicy = 'wait' | 'skip' | 'refuse'

/** What a row lock is for, as the context of errors names it. */
export type Purpose = 'locking' | 'updating' | 'deleting' | 'rechecking updated'

/** The heavyweight lock by which sessions that wait for a row stand in line. */
const tupleLockModes: Readonly<Record<RowLockMode, Mode>> = { 0: 1, 1: 2, 2: 7, 3: 8 }

/**
 * Waits until nobody keeps the transaction from that lock on a version of a row, and tells what has
 * become of the version. The first one to wait holds the row's place in line and waits for the
 * transaction that has the row; the others wait for the place. `follows`: later versions are locked
 * as well, which a query that locks rows asks for, and no change of a row does.
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
  /** What was waited for: the update that had committed, beside the locks of that moment. */
  let waitedFor: Pick<RowVersion, 'xmax' | 'locks'> | null = null
  try {
    for (;;) {
      const gone = replaced(run, version)
      if (gone === 'own') return 'own'
      const isHeld = gone !== null && isStillLocked(run, version)
      const hasWaited = waitedFor?.xmax === version.xmax && waitedFor.locks === version.locks
      // A lock on the key alone does not mind that other columns were changed.
      const isInTheWay = gone !== null && rowLocksConflict(version.xmaxMode, mode)
      if (isInTheWay && (!isHeld || hasWaited)) {
        // Who has waited for an update locks what it made, and what others make of that, before it
        // looks what has become of the row. Who came when there was no more than a lock, does not,
        // although its holder has updated the row since.
        if (gone === 'updated' && follows && updatesWaitedFor.has(version.xmax))
          yield* lockLaterVersions(run, table, version, mode)
        if (inLine) {
          // Those behind it go on as well, and all look for the latest version in any order.
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
        // Who was let go together with it may have deleted the version meanwhile: it starts over
        // (heap_lock_tuple of PostgreSQL 15).
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
        // The row may have changed while it stood in line.
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
 * Nobody has changed it and nobody else locked it: `acquireRow` would not wait. A lock on the key
 * alone looks at later versions.
 */
export function isFree(run: Run, version: RowVersion, mode: RowLockMode): boolean {
  if (version.xmax !== 0 || mode === 0) return false
  for (const lock of version.locks) if (isOthers(run, lock.xid) && rowLocksConflict(lock.mode, mode)) return false
  return true
}

/** Whether another transaction is under way that has that id. */
function isOthers({ backend }: Run, xid: number): boolean {
  const { ids, topXid } = backend
  return ids.statusOf(xid) === 'active' && (topXid === 0 || ids.top(xid) !== topXid)
}

/**
 * A lock is one on what updates have made of the row as well; it is waited for there, whatever the
 * policy, and noted.
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
    // Nobody who goes on beside it can come first there.
    markVersion(run, at, mode)
  }
  return 'locked'
}

/** Whether it was deleted, or its key changed, by somebody who did not take that back. */
function isKeyGone({ backend }: Run, { xmax, xmaxMode }: RowVersion): boolean {
  return xmax !== 0 && backend.ids.statusOf(xmax) !== 'aborted' && rowLocksConflict(xmaxMode, 0)
}

function refuse(policy: WaitPolicy, table: Table): LockResult {
  if (policy === 'skip') return 'would block'
  throw new SqlError('55P03', `could not obtain lock on row in relation "${table.name}"`)
}

/**
 * Others who lock a version keep its update in the way after that has committed: who comes takes a
 * place in line, and waits for those that are in its way, before it goes on to the next version.
 * HeapTupleSatisfiesUpdate in heapam_visibility.c of PostgreSQL 15 asks whether any member of such
 * a multixact is under way, the own transaction too.
 */
function isStillLocked({ backend }: Run, { locks }: RowVersion): boolean {
  return locks.some(({ xid }) => backend.ids.statusOf(xid) === 'active')
}

/** Whether a transaction that has committed replaced it, or the own one did. */
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

/** The other transactions whose locks or changes conflict with the mode, the oldest first. */
function conflicting(run: Run, version: RowVersion, mode: RowLockMode): number[] {
  const holders = version.locks.map(({ xid, mode: held }) => [xid, held] as const)
  if (version.xmax !== 0) holders.push([version.xmax, version.xmaxMode])
  const found = holders.filter(([xid, held]) => isOthers(run, xid) && rowLocksConflict(held, mode))
  return [...new Set(found.map(([xid]) => xid))].sort((a, b) => a - b)
}

/**
 * Notes the lock, on later versions of the row as well, where an update of it does not mind the
 * lock.
 */
export function markLocked(run: Run, version: RowVersion, mode: RowLockMode): void {
  for (let at: RowVersion | null = version; at; ) {
    markVersion(run, at, mode)
    at = at.xmax !== 0 && run.backend.ids.statusOf(at.xmax) !== 'aborted' ? at.next : null
  }
}

/** What has ended meanwhile is forgotten. */
function markVersion(run: Run, version: RowVersion, mode: RowLockMode): void {
  const xid = run.backend.currentXid()
  const { ids } = run.backend.database
  version.locks = version.locks.filter((lock) => ids.statusOf(lock.xid) === 'active')
  if (version.locks.some((lock) => lock.xid === xid && lock.mode >= mode)) return
  version.locks = [...version.locks.filter((lock) => lock.xid !== xid), { xid, mode }]
}

/** Locks a version of a row, or, where it was updated meanwhile, the latest one. */
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
 * Locks the latest version of a row of which this one was replaced. What updates that have
 * committed have replaced is passed by, locked or not; an update that is under way is waited for,
 * without a place in line (heapam_tuple_lock of PostgreSQL 15).
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
    // Others who were let go with it may change the version between the look and the lock: it then
    // waits with a place in line.
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
