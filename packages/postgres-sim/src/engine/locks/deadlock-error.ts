import { SqlError } from '../sql-error.ts'
import type { Waiting } from './lock-manager.ts'
import { modeNames } from './modes.ts'

/**
 * The error of the deadlock victim. It lists for each process in the cycle the lock for which it
 * waits and the process that blocks it; the first process blocks the last.
 */
export function deadlockError(circle: readonly Waiting[]): SqlError {
  const lines = circle.map(({ holder, lock, mode }, i) => {
    const blocker = circle[(i + 1) % circle.length]!.holder.processId
    return `Process ${holder.processId} waits for ${modeNames[mode]} on ${lock.tag.title}; blocked by process ${blocker}.`
  })
  return new SqlError('40P01', 'deadlock detected', {
    detail: lines.join('\n'),
    hint: 'See server log for query details.',
  })
}
