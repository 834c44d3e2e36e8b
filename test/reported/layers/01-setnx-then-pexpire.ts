/** One command takes the lock, and the next one sets its expiration. */
import type { Redis } from 'ioredis'
import { locked } from './parts/locked.ts'

const layer = (id: string, take: (client: Redis, lock: string, ms: number) => Promise<boolean>) =>
  locked(id, async ({ key, payload }, { client, leaseMs, sink }) => {
    const lock = `lock:${key}`
    if (!(await take(client, lock, leaseMs))) return { status: 'retry', reason: 'locked' }
    try {
      return { status: 'done', result: await sink.perform({ key, payload }) }
    } finally {
      await client.del(lock).catch(() => {})
    }
  })

export const bug = layer('setnx-then-pexpire', async (client, lock, ms) => {
  if ((await client.setnx(lock, 'taken')) === 0) return false
  await client.pexpire(lock, ms)
  return true
})

export const fix = layer('set-nx-px', async (client, lock, ms) => {
  return (await client.set(lock, 'taken', 'PX', ms, 'NX')) === 'OK'
})
