import { deadlockError } from './deadlock-error.ts'
import { Holding } from './holding.ts'
import type { LockTag } from './lock-tag.ts'
import { conflict, type Mode } from './modes.ts'

/** A session: it holds locks, and waits for one at a time. */
export interface LockHolder {
  readonly processId: number
  waiting: Waiting | null
  /** A lock that it waited for is its own now. */
  granted(): void
}

export interface Waiting {
  readonly holder: LockHolder
  readonly lock: Lock
  readonly mode: Mode
}

/** A lock that somebody holds or waits for. */
export interface Lock {
  readonly tag: LockTag
  holdings: readonly Holding[]
  /** In the order in which they are served. */
  queue: readonly Waiting[]
}

const none: readonly Holding[] = []
/** A queue is not changed but replaced. */
const nobody: readonly Waiting[] = []

/**
 * Heavyweight locks with their queues. A request is granted where it conflicts with no holder and
 * with no waiting request; else it waits at the end of the queue, but before the first one that
 * waits for what the requester itself holds.
 */
export class LockManager {
  private readonly locks = new Map<string, Lock>()

  holds(holder: LockHolder, tag: LockTag, mode: Mode): boolean {
    const lock = this.locks.get(tag.key)
    return lock !== undefined && holdingOf(lock, holder)?.has(mode) === true
  }

  /**
   * Grants it, or puts the holder into the queue: `waiting` is set then.
   * @throws SqlError 40P01 where one that waits for it holds what it would wait for: such a circle
   * needs no search
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
    // Its place is before those that wait for its own locks: with no conflict before that place,
    // the holders alone decide.
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

  /** Takes a holder out of the queue that it waits in. */
  giveUp(holder: LockHolder): void {
    const waiting = holder.waiting
    if (!waiting) return
    holder.waiting = null
    waiting.lock.queue = waiting.lock.queue.filter((one) => one !== waiting)
    this.serve(waiting.lock)
  }

  /**
   * Whom it waits for: those that hold what conflicts, and those before it in the queue that ask
   * for what does.
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
   * Hands the lock on, in the queue's order; a session that conflicts with one that goes on waiting
   * waits too.
   */
  serve(lock: Lock): void {
    if (lock.queue.length > 0) this.serveQueue(lock)
    // Those of tables come again with each statement.
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

  /** The server has died. */
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
