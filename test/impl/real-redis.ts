/** A real redis-server for one test file. */
import { Redis } from 'ioredis'
import { freePort, type RedisProcess, startRedis } from 'test-servers'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { bucketKeysOf } from '../../src/impl/identity.ts'
import { scripts } from '../../src/impl/scripts.ts'
import { needs, pathOf } from '../needs/needs.ts'

/** The default of the layer. */
export const buckets = 1024

export interface RealRedis {
  port: number
  client: Redis
  /**
   * Runs a script of the layer on the record of `key`, the generation of its bucket, or both, as
   * the head of the script declares.
   */
  script(name: keyof typeof scripts, key: string, ...args: (string | number)[]): Promise<unknown[]>
  record(key: string): Promise<Record<string, string>>
  generation(key: string): Promise<Record<string, string>>
  /** The clock of Redis in milliseconds. */
  now(): Promise<number>
  /** Kills the server with all its data, and starts a new one on the same port. */
  restart(): Promise<void>
  /** Resolves when the lease in the record has ended by the clock of Redis. */
  leaseEnded(key: string): Promise<void>
}

/** A suite with a real server that is emptied before each test. */
export function describeOnRedis(name: string, suite: (redis: RealRedis) => void): void {
  needs({ redis: '7.0' }).describe(name, () => {
    const redis = {} as RealRedis
    let server: RedisProcess
    const start = async () => {
      server = await startRedis(pathOf('redis'), [], { port: redis.port })
      await redis.client.ping()
    }
    beforeAll(async () => {
      redis.port = await freePort()
      connect(redis)
      redis.restart = async () => {
        await server.stop()
        await start()
      }
      await start()
    })
    beforeEach(async () => {
      await redis.client.flushall()
      await redis.client.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction')
    })
    afterAll(async () => {
      redis.client?.disconnect()
      await server?.stop()
    })
    suite(redis)
  })
}

function connect(redis: RealRedis): void {
  const client = new Redis({ host: '127.0.0.1', port: redis.port, retryStrategy: () => 20, maxRetriesPerRequest: null })
  client.on('error', () => {}) // refused until the server listens
  redis.client = client
  redis.script = async (name, key, ...args) => {
    const { record, generation } = bucketKeysOf(key, buckets)
    const heads = scripts[name].lua.matchAll(/^-- KEYS\[\d\] +the (record|generation)/gm)
    const keys = [...heads].map(([, kind]) => (kind === 'record' ? record : generation))
    return (await client.eval(scripts[name].lua, keys.length, ...keys, ...args)) as unknown[]
  }
  redis.record = (key) => client.hgetall(bucketKeysOf(key, buckets).record)
  redis.generation = (key) => client.hgetall(bucketKeysOf(key, buckets).generation)
  redis.now = async () => {
    const [seconds, micros] = await client.time()
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
  }
  redis.leaseEnded = async (key) => {
    const deadline = Number((await redis.record(key)).deadline)
    while ((await redis.now()) < deadline);
  }
}
