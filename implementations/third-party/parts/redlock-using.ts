/** redlock 5 and its derivative: `using` extends the lock during the work, and signals failures. */
import { Redis } from 'ioredis'
import type { CreateContext, Handler } from '../../../src/contract/api/implementation.ts'
import { ioredisMarks } from './ioredis-marks.ts'
import { type Marks, onceUnderLock } from './once-under-lock.ts'

type Signal = AbortSignal & { error?: Error }

/** The interface of both libraries. */
export interface UsingRedlock {
  on(event: 'error', heard: (error: Error) => void): unknown
  using<T>(resources: string[], durationMs: number, routine: (signal: Signal) => Promise<T>): Promise<T>
}

/** The default `automaticExtensionThreshold` of both is 500 ms; a lock must last 100 ms longer. */
export const shortestLockMs = 600

export function usingOneServer(context: CreateContext, redlockOf: (client: Redis) => UsingRedlock): Handler {
  const client = new Redis(context.redis.options)
  return usingRedlock(context, [client], redlockOf(client), ioredisMarks(client))
}

export function usingRedlock(
  context: CreateContext,
  clients: readonly Redis[],
  redlock: UsingRedlock,
  marks: Marks,
): Handler {
  // redlock also emits `error` for each attempt at a locked key; its README listens only to log.
  redlock.on('error', () => {})
  return {
    handle: onceUnderLock(
      (key, work) =>
        redlock.using([`locks:${key}`], context.leaseMs, (signal) =>
          work(() => {
            if (signal.aborted) throw signal.error
          }),
        ),
      marks,
      context,
    ),
    close: () => {
      for (const client of clients) client.disconnect()
    },
  }
}
