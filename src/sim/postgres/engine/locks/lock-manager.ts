import { deadlockError } from './deadlock-error.ts'
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
  /** How often each holder has each mode. */
  readonly holders: Map<LockHolder, Map<Mode, number>>
  /** In the order in which they are served. */
  queue: Waiting[]
}

/**
 * Heavyweight locks with their queues. A request is granted where it conflicts with no holder and with no waiting request;
 * else it waits at the end of the queue, but before the first one that waits for what the requester itself holds.
 */
export class LockManager {
  private readonly locks = new Map<string, Lock>()

  holds(holder: LockHolder, tag: LockTag, mode: Mode): boolean {
    return (this.locks.get(tag.key)?.holders.get(holder)?.get(mode) ?? 0) > 0
  }

  /**
   * Grants it, or puts the holder into the queue: `waiting` is set then.
   * @throws SqlError 40P01 where one that waits for it holds what it would wait for: such a circle needs no search
   */
  request(holder: LockHolder, tag: LockTag, mode: Mode): boolean {
    if (this.tryRequest(holder, tag, mode)) return true
    const lock = this.locks.get(tag.key)!
    const own = lock.holders.get(holder)
    const at = own ? lock.queue.findIndex((one) => isInTheWay(own, one.mode)) : -1
    const waiting = { holder, lock, mode }
    const behind = lock.queue[at]
    const theirs = behind && lock.holders.get(behind.holder)
    if (theirs && isInTheWay(theirs, mode)) throw deadlockError([waiting, behind])
    // Its place is before those that wait for its own locks: with no conflict before that place, the holders alone decide.
    if (behind && !lock.queue.slice(0, at).some((one) => conflict(one.mode, mode)) && free(lock, holder, mode)) {
      grant(lock, holder, mode)
      return true
    }
    if (at >= 0) lock.queue.splice(at, 0, waiting)
    else lock.queue.push(waiting)
    holder.waiting = waiting
    return false
  }

  tryRequest(holder: LockHolder, tag: LockTag, mode: Mode): boolean {
    const lock = this.lockOf(tag)
    const held = (lock.holders.get(holder)?.get(mode) ?? 0) > 0
    if (!held && (lock.queue.some((one) => conflict(one.mode, mode)) || !free(lock, holder, mode))) return false
    grant(lock, holder, mode)
    return true
  }

  release(holder: LockHolder, tag: LockTag, mode: Mode): boolean {
    const lock = this.locks.get(tag.key)
    const held = lock?.holders.get(holder)
    const count = held?.get(mode) ?? 0
    if (!lock || !held || count === 0) return false
    if (count > 1) held.set(mode, count - 1)
    else held.delete(mode)
    if (held.size === 0) lock.holders.delete(holder)
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

  /** Whom it waits for: those that hold what conflicts, and those before it in the queue that ask for what does. */
  blockers(waiting: Waiting): LockHolder[] {
    const { lock, mode } = waiting
    const ahead = lock.queue.slice(0, lock.queue.indexOf(waiting))
    const soft = ahead.filter((one) => conflict(one.mode, mode))
    return [...new Set([...this.blockedByHolders(waiting), ...soft.map((one) => one.holder)])]
  }

  blockedByHolders({ lock, mode, holder }: Waiting): LockHolder[] {
    const hard = [...lock.holders].filter(([other, held]) => other !== holder && isInTheWay(held, mode))
    return hard.map(([other]) => other)
  }

  /** Hands the lock on, in the queue's order; a session that conflicts with one that goes on waiting waits too. */
  serve(lock: Lock): void {
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
    if (lock.holders.size === 0 && left.length === 0) this.locks.delete(lock.tag.key)
  }

  /** The server has died. */
  clear(): void {
    this.locks.clear()
  }

  private lockOf(tag: LockTag): Lock {
    let lock = this.locks.get(tag.key)
    if (!lock) this.locks.set(tag.key, (lock = { tag, holders: new Map(), queue: [] }))
    return lock
  }
}

function free(lock: Lock, holder: LockHolder, mode: Mode): boolean {
  for (const [other, held] of lock.holders) if (other !== holder && isInTheWay(held, mode)) return false
  return true
}

/** Whether one of the modes that a session holds conflicts with that one. */
function isInTheWay(held: ReadonlyMap<Mode, number>, mode: Mode): boolean {
  for (const one of held.keys()) if (conflict(one, mode)) return true
  return false
}

function grant(lock: Lock, holder: LockHolder, mode: Mode): void {
  let held = lock.holders.get(holder)
  if (!held) lock.holders.set(holder, (held = new Map()))
  held.set(mode, (held.get(mode) ?? 0) + 1)
}
