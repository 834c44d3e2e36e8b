/** A real redis-server as the queue of one test file, on a free loopback port. */
import { Redis } from 'ioredis'
import { freePort, type RedisProcess, startRedis } from 'test-servers'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { needs, pathOf } from '../needs/needs.ts'

export interface QueueServer {
  port: number
  url: string
  client: Redis
  /** The server dies and loses all its data. */
  kill(): Promise<void>
  start(): Promise<void>
}

/** A suite with a queue that is emptied before each test. */
export function describeWithQueue(name: string, suite: (server: QueueServer) => void): void {
  needs({ redis: '7.0' }).describe(name, () => {
    const server = {} as QueueServer
    let redis: RedisProcess
    server.start = async () => {
      redis = await startRedis(pathOf('redis'), [], { port: server.port })
      await server.client.ping()
    }
    server.kill = () => redis.stop()
    beforeAll(async () => {
      server.port = await freePort()
      server.url = `redis://127.0.0.1:${server.port}`
      server.client = new Redis({ port: server.port, retryStrategy: () => 50, maxRetriesPerRequest: null })
      server.client.on('error', () => {}) // refused until the server listens
      await server.start()
    })
    beforeEach(() => server.client.flushall())
    afterAll(async () => {
      server.client?.disconnect()
      await server.kill()
    })
    suite(server)
  })
}
