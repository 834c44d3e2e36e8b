import { SqlError } from '../sql-error.ts'
import type { LockHolder, LockManager, Waiting } from './lock-manager.ts'
import { conflict, modeNames } from './modes.ts'

/**
 * What a session finds when its deadlock_timeout fires. A circle in which somebody waits only because of the queue's order is
 * undone by letting it go ahead; of any other the session is the victim.
 */
export function checkDeadlock(start: LockHolder, locks: LockManager): SqlError | null {
  for (;;) {
    const circle = findCircle(start, locks)
    if (!circle) return null
    const soft = circle.find((waiting, i) => isSoft(waiting, circle[(i + 1) % circle.length]!.holder))
    if (!soft || !letAhead(soft, circle, start, locks)) return deadlock(circle)
    locks.serve(soft.lock)
    if (!start.waiting) return null
  }
}

/** The waits of a circle that leads back to the first. */
function findCircle(start: LockHolder, locks: LockManager): Waiting[] | null {
  const visited = new Set<LockHolder>()
  const path: Waiting[] = []
  const visit = (holder: LockHolder): boolean => {
    if (holder === start && path.length > 0) return true
    const waiting = holder.waiting
    if (!waiting || visited.has(holder)) return false
    visited.add(holder)
    path.push(waiting)
    for (const blocker of locks.blockers(waiting)) if (visit(blocker)) return true
    path.pop()
    return false
  }
  return visit(start) ? path : null
}

function isSoft(waiting: Waiting, blocker: LockHolder): boolean {
  const held = waiting.lock.holders.get(blocker)
  return !held || ![...held.keys()].some((mode) => conflict(mode, waiting.mode))
}

/** Moves it before the one ahead of it in the queue; false, and back again, where that leaves a circle. */
function letAhead(waiting: Waiting, circle: readonly Waiting[], start: LockHolder, locks: LockManager): boolean {
  const { lock } = waiting
  const before = lock.queue
  const blocker = circle[(circle.indexOf(waiting) + 1) % circle.length]!
  const others = before.filter((one) => one !== waiting)
  const at = others.indexOf(blocker)
  if (at < 0) return false
  others.splice(at, 0, waiting)
  lock.queue = others
  if (!findCircle(start, locks) && !findCircle(blocker.holder, locks)) return true
  lock.queue = before
  return false
}

function deadlock(circle: readonly Waiting[]): SqlError {
  const lines = circle.map(({ holder, lock, mode }, i) => {
    const blocker = circle[(i + 1) % circle.length]!.holder.processId
    return `Process ${holder.processId} waits for ${modeNames[mode]} on ${lock.tag.title}; blocked by process ${blocker}.`
  })
  return new SqlError('40P01', 'deadlock detected', {
    detail: lines.join('\n'),
    hint: 'See server log for query details.',
  })
}
