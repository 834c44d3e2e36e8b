/** A real redis-server as the queue of one test file, on a free loopback port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { endingWithParent } from '../../src/ending-with-parent.ts'
import { freePort } from '../../src/free-port.ts'
import { needs, pathOf } from '../needs/needs.ts'

export interface QueueServer {
  port: number
  url: string
  client: Redis
  /** The server dies with all that it holds. */
  kill(): Promise<void>
  start(): Promise<void>
}

/** A suite beside a queue that is emptied before each test. */
export function describeWithQueue(name: string, suite: (server: QueueServer) => void): void {
  needs({ redis: '7.0' }).describe(name, () => {
    const server = {} as QueueServer
    let child: ChildProcess
    server.start = async () => {
      const flags = ['--port', String(server.port), '--bind', '127.0.0.1', '--save', '', '--daemonize', 'no']
      child = spawn(...endingWithParent(pathOf('redis'), flags), { stdio: 'ignore' })
      await server.client.ping()
    }
    server.kill = async () => {
      const died = once(child, 'exit')
      child.kill('SIGKILL')
      await died
    }
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
