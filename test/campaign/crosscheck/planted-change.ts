import type { Command, Handler } from 'redis-sim'
import { Database, findCommand } from 'redis-sim'
import type { Reply } from 'redis-sim/resp'

/**
 * While `work` runs, changes one byte in the plain replies of a command: a number, or the first
 * byte of a text.
 */
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

/** Replaces the execution of a command while `work` runs. */
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

/** Delays expiry by `lateMs` milliseconds while `work` runs. */
export async function withExpiry<T>(lateMs: number, work: () => Promise<T>): Promise<T> {
  const { prototype } = Database
  const original = Object.getOwnPropertyDescriptors(prototype)
  const shifted = <This extends Database, A extends unknown[], R>(method: (this: This, ...args: A) => R) =>
    function (this: This, ...args: A): R {
      const { nowMs } = this.state
      this.state.nowMs = nowMs - lateMs
      try {
        return method.apply(this, args)
      } finally {
        this.state.nowMs = nowMs
      }
    }
  for (const name of ['get', 'peek', 'isExpired', 'dropExpired', 'put'] as const)
    Object.defineProperty(prototype, name, { ...original[name], value: shifted(original[name].value as never) })
  try {
    return await work()
  } finally {
    Object.defineProperties(prototype, original)
  }
}
