/** Redlock on five real servers: one of three that granted a lock is lost, or comes back empty. */
import { setTimeout } from 'node:timers/promises'
import { freePort, type RedisProcess, startRedis } from 'test-servers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import redlockOnFive from '../../implementations/suggested/002-redlock-on-five.ts'
import type { CreateContext, Handler } from '../../src/contract/api/implementation.ts'
import type { Message } from '../../src/contract/api/message.ts'
import { needs, pathOf } from '../needs/needs.ts'

needs({ redis: '7.0' }).describe('Redlock on five real servers', () => {
  let servers: RedisProcess[]
  let handlers: Handler[]
  beforeEach(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    handlers = []
    servers = await Promise.all(Array.from({ length: 5 }, () => startRedis(pathOf('redis'))))
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    for (const handler of handlers) await handler.close?.()
    await Promise.all(servers.map((server) => server.stop()))
  })

  /** A consumer that reaches the servers on these ports. Its effect ends when the promise does. */
  async function consumer(ports: readonly number[], effect: () => Promise<void>): Promise<Handler> {
    const nodes = ports.map((port) => ({ host: '127.0.0.1', port }))
    const perform = async () => {
      await effect()
      return { effectId: 'effect-1', key: 'order-1', payload: null }
    }
    const context = { redis: { options: nodes[0], url: '', nodes }, leaseMs: 60_000, retentionMs: 60_000 }
    const handler = await redlockOnFive.create({ ...context, sink: { perform } } as unknown as CreateContext)
    handlers.push(handler)
    return handler
  }

  const message = { key: 'order-1', payload: null } as unknown as Message

  /** How often the effect is sent if this happens to the third server during the first effect. */
  async function effectsSent(happens: (third: RedisProcess) => Promise<void>): Promise<number> {
    let sent = 0
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const ports = servers.map(({ port }) => port)
    const atWork = new Promise<void>((begun) => {
      const work = () => {
        sent++
        begun()
        return ended
      }
      const three = ports.slice(0, 3)
      void Promise.all([freePort(), freePort()])
        .then((closed) => consumer([...three, ...closed], work))
        .then((holder) => holder.handle(message))
        .catch(() => {})
    })
    await atWork
    await happens(servers[2]!)
    const taker = await consumer(ports, async () => {
      sent++
    })
    // Its client waits for a server that is gone for far longer; the lock lives for a minute.
    await Promise.race([taker.handle(message).catch(() => {}), setTimeout(3000)])
    end()
    return sent
  }

  it('grants a lock a second time, after one of three comes back empty', async () => {
    const restarted = async (third: RedisProcess) => {
      await third.stop()
      servers[2] = await startRedis(pathOf('redis'), [], { port: third.port })
    }
    expect(await effectsSent(restarted)).toBe(2)
  })

  it('grants no lock a second time, if nothing happens', async () => {
    expect(await effectsSent(async () => {})).toBe(1)
  })

  it('grants no lock a second time, if one of three is lost for good', async () => {
    expect(await effectsSent((third) => third.stop())).toBe(1)
  })
})
