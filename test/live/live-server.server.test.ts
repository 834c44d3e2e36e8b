/** A degradation of a server continues after its death and restart. */
import { Redis } from 'ioredis'
import { freePort } from 'test-servers'
import { expect, it } from 'vitest'
import { LiveServer } from '../../src/live/servers/live-server.ts'
import { RedisProcess } from '../../src/live/servers/redis-process.ts'
import { temporaryFolder } from '../cli/run-cli.ts'
import { needs } from '../needs/needs.ts'

async function onServer(work: (server: LiveServer, takes: () => Promise<boolean>) => Promise<void>): Promise<void> {
  const port = await freePort()
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '']
  const options = { binary: 'redis-server', port, folder: temporaryFolder(), env: process.env, started: () => {}, args }
  const machine = new RedisProcess(options)
  await machine.start()
  const server = new LiveServer(
    machine,
    () => null,
    '*',
    () => {},
  )
  await server.recordExpired()
  /**
   * Returns true if the server accepts another client. A refused client may find its connection
   * closed before it reads the reason.
   */
  const takes = async () => {
    const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => null })
    client.on('error', () => {})
    const answer = await client.ping().catch(() => null)
    client.disconnect()
    return answer === 'PONG'
  }
  await work(server, takes).finally(async () => {
    server.close()
    await machine.kill()
  })
}

needs({ redis: '7.0' }).describe('a live server', () => {
  it('a full server accepts no client after a restart until the fault has healed', () =>
    onServer(async (server, takes) => {
      server.enter('full')
      await server.impose('full')
      expect(await takes()).toBe(false)
      await server.stop()
      await server.startEmpty()
      expect(await takes()).toBe(false)
      server.leave('full')
      await server.lift('full')
      expect(await takes()).toBe(true)
    }))

  it('an undegraded server accepts clients after a restart', () =>
    onServer(async (server, takes) => {
      await server.stop()
      await server.startEmpty()
      expect(await takes()).toBe(true)
    }))
})
