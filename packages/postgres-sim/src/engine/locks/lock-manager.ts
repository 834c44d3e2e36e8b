import { deadlockError } from './deadlock-error.ts'
import { Holding } from './holding.ts'
import type { LockTag } from './lock-tag.ts'
import { conflict, type Mode } from './modes.ts'

/** A session, which may hold several locks and waits for at most one. */
export interface LockHolder {
  readonly processId: number
  waiting: Waiting | null
  /** Called when the lock for which the session waited was granted. */
  granted(): void
}

export interface Waiting {
  readonly holder: LockHolder
  readonly lock: Lock
  readonly mode: Mode
}

/** A lock that at least one session holds or waits for. */
export interface Lock {
  readonly tag: LockTag
  holdings: readonly Holding[]
  /** The waiting requests in the order in which they are served. */
  queue: readonly Waiting[]
}

const none: readonly Holding[] = []
/** Queues are immutable: a change replaces the queue. */
const nobody: readonly Waiting[] = []

/**
 * Heavyweight locks with their wait queues. A request is granted if it conflicts with no holder and
 * no waiting request. Otherwise it waits at the end of the queue, but in front of the first request
 * that conflicts with a lock that the requester holds.
 */
export class LockManager {
  private readonly locks = new Map<string, Lock>()

  holds(holder: LockHolder, tag: LockTag, mode: Mode): boolean {
    const lock = this.locks.get(tag.key)
    return lock !== undefined && holdingOf(lock, holder)?.has(mode) === true
  }

  /**
   * Grants the lock and returns true, or queues the holder and sets its `waiting`.
   * @throws SqlError 40P01 if a waiter that the requester blocks also holds the lock in a
   * conflicting mode: this deadlock is found without a search
   */
  request(holder: LockHolder, tag: LockTag, mode: Mode): boolean {
    if (this.tryRequest(holder, tag, mode)) return true
    const lock = this.locks.get(tag.key)!
    const own = holdingOf(lock, holder)
    const at = own ? lock.queue.findIndex((one) => own.conflictsWith(one.mode)) : -1
    const waiting = { holder, lock, mode }
    const behind = lock.queue[at]
    const theirs = behind && holdingOf(lock, behind.holder)
    if (theirs?.conflictsWith(mode)) throw deadlockError([waiting, behind!])
    // The request is placed in front of those that wait for the requester's own lock. If no request
    // ahead of that place conflicts, only the holders decide.
    if (behind && !lock.queue.slice(0, at).some((one) => conflict(one.mode, mode)) && free(lock, holder, mode)) {
      grant(lock, holder, mode)
      return true
    }
    lock.queue = lock.queue.toSpliced(at >= 0 ? at : lock.queue.length, 0, waiting)
    holder.waiting = waiting
    return false
  }

  tryRequest(holder: LockHolder, tag: LockTag, mode: Mode): boolean {
    const lock = this.lockOf(tag)
    const holding = holdingOf(lock, holder)
    if (!holding?.has(mode) && (lock.queue.some((one) => conflict(one.mode, mode)) || !free(lock, holder, mode)))
      return false
    grant(lock, holder, mode)
    return true
  }

  release(holder: LockHolder, tag: LockTag, mode: Mode): boolean {
    const lock = this.locks.get(tag.key)
    if (!lock) return false
    const holding = holdingOf(lock, holder)
    if (!holding?.has(mode)) return false
    holding.release(mode)
    if (holding.isEmpty)
      lock.holdings = lock.holdings.length === 1 ? none : lock.holdings.filter((one) => one !== holding)
    this.serve(lock)
    return true
  }

  /** Removes a holder from its wait queue. */
  giveUp(holder: LockHolder): void {
    const waiting = holder.waiting
    if (!waiting) return
    holder.waiting = null
    waiting.lock.queue = waiting.lock.queue.filter((one) => one !== waiting)
    this.serve(waiting.lock)
  }

  /**
   * The sessions that block this request: holders of conflicting modes, and conflicting requests
   * ahead in the queue.
   */
  blockers(waiting: Waiting): LockHolder[] {
    const { lock, mode } = waiting
    const ahead = lock.queue.slice(0, lock.queue.indexOf(waiting))
    const soft = ahead.filter((one) => conflict(one.mode, mode))
    return [...new Set([...this.blockedByHolders(waiting), ...soft.map((one) => one.holder)])]
  }

  blockedByHolders({ lock, mode, holder }: Waiting): LockHolder[] {
    const hard = lock.holdings.filter((one) => one.holder !== holder && one.conflictsWith(mode))
    return hard.map((one) => one.holder)
  }

  /**
   * Grants the lock in queue order. A request that conflicts with an earlier request that still
   * waits must wait, too.
   */
  serve(lock: Lock): void {
    if (lock.queue.length > 0) this.serveQueue(lock)
    // Table locks are kept because the next statement needs them again.
    if (lock.holdings.length === 0 && lock.queue.length === 0 && lock.tag.kind !== 'relation')
      this.locks.delete(lock.tag.key)
  }

  private serveQueue(lock: Lock): void {
    const left: Waiting[] = []
    for (const waiting of lock.queue) {
      const { holder, mode } = waiting
      if (!left.some((one) => conflict(one.mode, mode)) && free(lock, holder, mode)) {
        grant(lock, holder, mode)
        holder.waiting = null
        holder.granted()
      } else left.push(waiting)
    }
    lock.queue = left
  }

  /** Called when the server has crashed. */
  clear(): void {
    this.locks.clear()
  }

  private lockOf(tag: LockTag): Lock {
    let lock = this.locks.get(tag.key)
    if (!lock) this.locks.set(tag.key, (lock = { tag, holdings: none, queue: nobody }))
    return lock
  }
}

function free(lock: Lock, holder: LockHolder, mode: Mode): boolean {
  return !lock.holdings.some((one) => one.holder !== holder && one.conflictsWith(mode))
}

function holdingOf(lock: Lock, holder: LockHolder): Holding | undefined {
  return lock.holdings.find((one) => one.holder === holder)
}

function grant(lock: Lock, holder: LockHolder, mode: Mode): void {
  let holding = holdingOf(lock, holder)
  if (!holding) {
    holding = new Holding(holder)
    lock.holdings = [...lock.holdings, holding]
  }
  holding.grant(mode)
}
