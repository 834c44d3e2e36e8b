/** A real redis-server for one test file, on a free loopback port; without the binary the tests are skipped by name. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import { recordName } from '../../src/impl/identity.ts'
import { scripts } from '../../src/impl/scripts.ts'

const installed = spawnSync('redis-server', ['--version']).status === 0

export interface RealRedis {
  port: number
  client: Redis
  /** Runs one of the layer's scripts on the record of `key`. */
  script(name: keyof typeof scripts, key: string, ...args: (string | number)[]): Promise<unknown[]>
  record(key: string): Promise<Record<string, string>>
  /** Resolves when the lease in the record has ended by Redis's own clock. */
  leaseEnded(key: string): Promise<void>
}

/** A suite against a real server, emptied before each test. */
export function describeOnRedis(name: string, suite: (redis: RealRedis) => void): void {
  const title = installed ? name : `${name} (skipped: no redis-server is installed)`
  describe.skipIf(!installed)(title, () => {
    const redis = {} as RealRedis
    let server: ChildProcess
    beforeAll(async () => {
      redis.port = await freePort()
      const flags = ['--port', String(redis.port), '--bind', '127.0.0.1', '--save', '', '--daemonize', 'no']
      server = spawn('redis-server', flags, { stdio: 'ignore' })
      connect(redis)
      await redis.client.ping()
    })
    beforeEach(async () => void (await redis.client.flushall()))
    afterAll(() => {
      redis.client?.disconnect()
      server?.kill()
    })
    suite(redis)
  })
}

function connect(redis: RealRedis): void {
  const client = new Redis({ host: '127.0.0.1', port: redis.port, retryStrategy: () => 20, maxRetriesPerRequest: null })
  client.on('error', () => {}) // refused until the server listens
  redis.client = client
  redis.script = async (name, key, ...args) =>
    (await client.eval(scripts[name].lua, 1, recordName(key), ...args)) as unknown[]
  redis.record = (key) => client.hgetall(recordName(key))
  redis.leaseEnded = async (key) => {
    const deadline = Number(await client.hget(recordName(key), 'deadline'))
    for (;;) {
      const [seconds, micros] = await client.time()
      if (Number(seconds) * 1000 + Math.floor(Number(micros) / 1000) >= deadline) return
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
