import { SqlError } from '../sql-error.ts'
import type { Waiting } from './lock-manager.ts'
import { modeNames } from './modes.ts'

/**
 * What the victim of a circle hears: who waits for which lock of whom. The last one waits for the
 * first.
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
