/** Commands inside of MULTI are executed, and answered, with their EXEC. */
import type { ExecutedCommand } from '../../../sim/world.ts'
import { replyClass } from '../deciding-step.ts'

/**
 * The same commands, where queued ones stand at their EXEC with their own replies. Connections are
 * not told apart: where a process had two transactions open at once, or one that never ended, what
 * it queued stays as it is, as it does where nothing was executed.
 */
export function atTheirExec(executed: readonly ExecutedCommand[]): ExecutedCommand[] {
  const moved = new Map<ExecutedCommand, ExecutedCommand[]>()
  const open = new Map<string, { multis: number; queued: ExecutedCommand[] }>()
  const left = new Set<ExecutedCommand>()
  for (const command of executed) {
    const { process, label, reply, seq } = command
    const own = open.get(process) ?? { multis: 0, queued: [] }
    if (label === 'MULTI') own.multis++
    else if (replyClass(reply) === 'QUEUED') own.queued.push(command)
    else if (label === 'EXEC' && own.multis === 1 && Array.isArray(reply) && reply.length === own.queued.length) {
      for (const one of own.queued) left.add(one)
      moved.set(
        command,
        own.queued.map((one, at) => ({ ...one, seq, reply: reply[at] })),
      )
    }
    if (/^(EXEC|DISCARD)$/.test(label) && own.multis <= 1) open.delete(process)
    else open.set(process, own)
  }
  return executed.flatMap((one) => (left.has(one) ? [] : [...(moved.get(one) ?? []), one]))
}
