/** ioredis does not resend after a reset: a command that was in flight never settles. */
import { locked, openClient } from './parts/locked.ts'

const layer = (id: string, options: object) =>
  locked(
    id,
    async ({ key, payload }, { client, leaseMs, sink }) => {
      if ((await client.set(`lock:${key}`, 'taken', 'PX', leaseMs, 'NX')) === null)
        return { status: 'retry', reason: 'locked' }
      try {
        return { status: 'done', result: await sink.perform({ key, payload }) }
      } finally {
        await client.del(`lock:${key}`).catch(() => {})
      }
    },
    { open: (redis) => openClient(redis, options) },
  )

export const bug = layer('reply-that-never-comes', { autoResendUnfulfilledCommands: false })
export const fix = layer('command-sent-again', {})
