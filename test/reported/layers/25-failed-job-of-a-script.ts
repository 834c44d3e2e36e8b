/**
 * A queue as Bull 4 stores it: a hash per job, a list of waiting jobs, and a set of failed jobs.
 * The script that adds a job does nothing if a job with its id exists.
 */
import type { Redis } from 'ioredis'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import { openClient } from './parts/locked.ts'

const addJob = `
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'data', ARGV[2], 'attemptsMade', 0)
redis.call('LPUSH', KEYS[1], ARGV[1])
return 1`
/** The job is at the head of the active list. It ends as failed, or waits again. */
const moveToFailed = `
redis.call('LREM', KEYS[1], 1, ARGV[1])
if redis.call('HINCRBY', KEYS[3], 'attemptsMade', 1) < tonumber(ARGV[2]) then return redis.call('LPUSH', KEYS[2], ARGV[1]) end
return redis.call('ZADD', KEYS[4], ARGV[3], ARGV[1])`

function layer(id: string, attempts: number): Implementation {
  return {
    ...{ id, recoveryBoundMs: 300_000, shapes: ['single'] },
    ...{ sinks: ['keyed'], lacks: ['stored-result', 'lease'] },
    create({ redis, sink }) {
      const client = openClient(redis)
      const jobOf = (key: string) => `orders:job:${key}`
      async function work(): Promise<void> {
        const key = await client.rpoplpush('orders:wait', 'orders:active')
        if (key === null) return
        const data = await client.hget(jobOf(key), 'data')
        await sink.perform({ key, payload: JSON.parse(data!) }).then(
          () => client.multi().lrem('orders:active', 1, key).pexpire(jobOf(key), 600_000).exec(),
          () => failed(client, key, jobOf(key), attempts),
        )
      }
      const timer = setInterval(() => void work().catch(() => {}), 500)
      return {
        async handle({ key, payload }) {
          await client.eval(addJob, 2, 'orders:wait', jobOf(key), key, JSON.stringify(payload))
          return { status: 'accepted' }
        },
        close() {
          clearInterval(timer)
          client.disconnect()
        },
      }
    },
  }
}

const failed = (client: Redis, key: string, job: string, attempts: number) =>
  client.eval(moveToFailed, 4, 'orders:active', 'orders:wait', job, 'orders:failed', key, attempts, Date.now())

export const bug = layer('failed-job-of-a-script', 1)
export const fix = layer('failed-job-waits-again', 1000)
