/** An effect without a guard, and the same effect with each guard. */
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { adopt, createOnce, type RedisAt } from '../../src/impl/once.ts'

export const guardNames = [
  'bare effect',
  'SET NX by hand',
  'powertools',
  'onceproof/once',
  'onceproof/once, node-redis',
] as const
export type GuardName = (typeof guardNames)[number]

export interface Guard {
  /** Performs the effect of a key that was never used before. */
  run(key: string): Promise<unknown>
  close(): Promise<void>
}

/** The guarded effect takes no time, so that only the guard is measured. */
const effect = async () => ({ id: 'ch_1' })

type LambdaContext = Parameters<IdempotencyConfig['registerLambdaContext']>[0]

const payload = { amountCents: 100 }
const retentionMs = 7 * 86_400_000
const leaseMs = 10_000

export const openGuard: Readonly<Record<GuardName, (port: number) => Promise<Guard>>> = {
  'bare effect': async () => ({ run: effect, close: async () => {} }),
  /** The pattern of most articles: sets a marker before the effect, and the result after it. */
  'SET NX by hand': async (port) => {
    const redis = new Redis({ host: '127.0.0.1', port })
    return {
      async run(key) {
        if ((await redis.set(`by-hand:${key}`, 'started', 'PX', retentionMs, 'NX')) === null)
          throw new Error('the key was used before')
        const result = await effect()
        await redis.set(`by-hand:${key}`, JSON.stringify(result), 'PX', retentionMs)
        return result
      },
      close: async () => redis.disconnect(),
    }
  },
  /** Powertools with its default settings, except the retention. */
  powertools: async (port) => {
    const client = await createClient({ url: `redis://127.0.0.1:${port}` }).connect()
    const config = new IdempotencyConfig({ expiresAfterSeconds: retentionMs / 1000 })
    // Without this call, Powertools prints a warning for each effect.
    config.registerLambdaContext({ getRemainingTimeInMillis: () => leaseMs } as LambdaContext)
    const guarded = makeIdempotent(async (_: { key: string }) => effect(), {
      persistenceStore: new CachePersistenceLayer({ client }),
      config,
    })
    return { run: (key) => guarded({ key }), close: async () => client.destroy() }
  },
  'onceproof/once': (port) => reference({ host: '127.0.0.1', port }, 'a'),
  'onceproof/once, node-redis': (port) => reference(createClient({ url: `redis://127.0.0.1:${port}` }), 'b'),
}

/**
 * `mark`: a prefix of the keys that separates the two clients, because their records have the same
 * names.
 */
async function reference(redis: RedisAt, mark: string): Promise<Guard> {
  await adopt({ redis, since: 0 })
  const once = createOnce({ redis, replicas: 0, leaseMs, retentionMs })
  return {
    async run(key) {
      const outcome = await once.run({ key: mark + key, payload, producedAt: Date.now() }, effect)
      if (outcome.status !== 'done' || outcome.repeated) throw new Error(`not performed: ${JSON.stringify(outcome)}`)
      return outcome.result
    },
    close: async () => once.close(),
  }
}
