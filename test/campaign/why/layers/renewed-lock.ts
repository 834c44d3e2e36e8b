/**
 * The holder renews its lock by a timer while it prepares and performs the effect. It keeps no
 * record, so that a late copy is performed again. `renews`: the command of the renewal.
 */
import { Redis } from 'ioredis'
import type { Implementation } from '../../../../src/contract/api/implementation.ts'

const extend =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"
const rewrite =
  "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1"
const acquire = "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end return 0"

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Renews = 'command' | 'set' | 'script' | 'script that writes' | 'never'

export const renewedLock = (
  renews: Renews,
  byScript = false,
): Pick<Implementation, 'create'> & Partial<Implementation> => ({
  create({ redis, instanceId, leaseMs, sink }) {
    const client = new Redis({ ...redis.options, socketTimeout: 5000 })
    client.on('error', () => {})
    const renew = async (name: string): Promise<unknown> => {
      if (renews === 'command') return client.pexpire(name, leaseMs)
      if (renews === 'set') return client.set(name, instanceId, 'PX', leaseMs, 'XX')
      return client.eval(renews === 'script' ? extend : rewrite, 1, name, instanceId, leaseMs)
    }
    return {
      async handle({ key, payload }) {
        const name = `lock:${key}`
        const granted = byScript
          ? await client.eval(acquire, 1, name, instanceId, leaseMs)
          : await client.set(name, instanceId, 'PX', leaseMs, 'NX')
        if (granted !== 'OK' && granted !== 1) return { status: 'retry', reason: 'locked' }
        const timer = renews === 'never' ? undefined : setInterval(() => void renew(name).catch(() => {}), leaseMs / 3)
        try {
          await sleep(leaseMs * 0.9)
          return { status: 'done', result: (await sink.perform({ key, payload })) ?? null }
        } finally {
          clearInterval(timer)
          await client.del(name)
        }
      },
      close: () => client.disconnect(),
    }
  },
})
