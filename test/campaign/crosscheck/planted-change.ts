import type { Reply } from '../../../src/sim/lua/reply.ts'
import type { Command, Handler } from '../../../src/sim/redis/command.ts'
import { findCommand } from '../../../src/sim/redis/command-table.ts'

/** While `work` runs, one byte of a command's plain replies is another: of a number, or the first of a text. */
export function withChangedReplies<T>(name: string, work: () => Promise<T>): Promise<T> {
  const changed = (original: Handler): Handler => {
    return (session, args) => {
      const reply = original(session, args) as Reply
      if (typeof reply === 'number') return reply + 1
      return typeof reply === 'string' && reply !== '' ? `\x7f${reply.slice(1)}` : reply
    }
  }
  return withExecution(name, changed, work)
}

/** While `work` runs, a command does something else. */
export async function withExecution<T>(
  name: string,
  change: (original: Handler) => Handler,
  work: () => Promise<T>,
): Promise<T> {
  const command = findCommand(name) as { -readonly [K in keyof Command]: Command[K] }
  const original = command.execute!
  command.execute = change(original)
  try {
    return await work()
  } finally {
    command.execute = original
  }
}
