/** A script in a Cluster computes the name of its second key, which may be on another node. */
import { Cluster } from 'ioredis'
import { locked } from './parts/locked.ts'

const lock = `
local holds = KEYS[1] .. ':holds'
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) == false then return 0 end
redis.call('SET', holds, 1, 'PX', ARGV[2])
return 1`
const unlock = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1] .. ':holds')
return redis.call('DEL', KEYS[1])`

const layer = (id: string, nameOf: (key: string) => string) =>
  locked<Cluster>(
    id,
    async ({ key, payload }, { client, instanceId, leaseMs, sink }) => {
      const name = nameOf(key)
      const owner = `${instanceId}/${Math.random()}`
      if ((await client.eval(lock, 1, name, owner, leaseMs)) === 0) return { status: 'retry', reason: 'locked' }
      try {
        return { status: 'done', result: await sink.perform({ key, payload }) }
      } finally {
        client.eval(unlock, 1, name, owner).catch(() => {})
      }
    },
    {
      shapes: ['cluster'],
      open: ({ nodes }) => new Cluster([...nodes], { redisOptions: { socketTimeout: 5000 } }),
    },
  )

export const bug = layer('script-with-an-undeclared-key', (key) => `lock:${key}`)
export const fix = layer('script-with-a-hash-tag', (key) => `lock:{${key}}`)
