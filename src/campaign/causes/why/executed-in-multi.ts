/** Handles commands inside of MULTI, which EXEC executes and answers. */
import type { ExecutedCommand } from '../../../sim/world.ts'
import { replyClass } from '../deciding-step.ts'

/**
 * The same commands, with queued ones moved to their EXEC and given their own replies. Connections
 * are not distinguished. So if a process had two open transactions, or a transaction that never
 * ended, its queued commands stay unchanged. They also stay unchanged if EXEC executed no command.
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
