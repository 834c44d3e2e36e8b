/** The layer’s connections over node-redis, on a real server. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { type NodeRedis, NodeRedisClient } from '../../src/impl/node-redis.ts'
import { type CuttingProxy, cuttingProxy } from './cutting-proxy.ts'
import { over } from './over.ts'
import { describeOnRedis } from './real-redis.ts'

const versions = ['node-redis 4', 'node-redis 5', 'node-redis 6'] as const
const commandTimeout = 250

for (const version of versions)
  describeOnRedis(`a connection over ${version}`, (redis) => {
    let proxy: CuttingProxy
    let client: NodeRedisClient
    const open = async (more: object = {}) => {
      proxy = await cuttingProxy(redis.port)
      const like = (await over[version](proxy.port)) as NodeRedis
      client = NodeRedisClient.at(like, { commandTimeout, lazyConnect: true, ...more })
      const errors: string[] = []
      client.on('error', ({ message }: Error) => errors.push(message))
      return errors
    }
    const id = async () => Number(await client.call('CLIENT', 'ID'))
    afterEach(() => {
      client.disconnect()
      proxy.close()
    })

    it('is kept while it is idle', async () => {
      const errors = await open()
      const before = await id()
      await new Promise((resolve) => setTimeout(resolve, 3 * commandTimeout))
      expect(await id()).toBe(before)
      expect(errors).toEqual([])
    })

    it('is kept while it is idle even if the application ends its own idle connections', async () => {
      proxy = await cuttingProxy(redis.port)
      const url = (await over[version](proxy.port)) as NodeRedis
      const socket = { host: '127.0.0.1', port: proxy.port, socketTimeout: 50 }
      const like = url.duplicate(...([{ socket }] as never[])) as NodeRedis
      client = NodeRedisClient.at(like, { commandTimeout, lazyConnect: true, retryStrategy: () => 10 })
      const before = await id()
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(await id()).toBe(before)
    })

    it('is given up with all commands in flight if a reply is overdue, and ends without a retry strategy', async () => {
      await open()
      await client.connect()
      proxy.silence(true)
      const asked = await Promise.allSettled([client.info('server'), client.info('server')])
      expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(client.status).toBe('end')
      await expect(client.info('server')).rejects.toThrow('Redis is not connected')
    })

    it('is dialed again with a retry strategy, and commands without a reply are not resent', async () => {
      const errors = await open({ retryStrategy: () => 10 })
      const before = await id()
      proxy.loseRepliesOf('counted', 1)
      await expect(client.call('INCR', 'counted')).rejects.toThrow()
      await client.connect()
      expect(await id()).toBeGreaterThan(before)
      expect(await redis.client.get('counted')).toBe('1')
      expect(errors).toHaveLength(1)
    })

    it('is dialed later each time that it is lost before a reply', async () => {
      const asked: number[] = []
      await open({ retryStrategy: (times: number) => asked.push(times) })
      const lose = async () => {
        client.disconnect(true)
        await client.connect()
      }
      await client.connect()
      await lose()
      await lose()
      await id()
      await lose()
      expect(asked).toEqual([1, 2, 1])
    })

    it('is not dialed before its delay if a load balancer closes the connection', async () => {
      const sockets: Socket[] = []
      const balancer = createServer((socket) => {
        sockets.push(socket.on('error', () => {}))
        setTimeout(() => socket.destroy(), 20)
      })
      await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve))
      proxy = await cuttingProxy((balancer.address() as AddressInfo).port)
      const url = (await over[version](proxy.port)) as NodeRedis
      const like = url.duplicate(...([{ disableClientInfo: true }] as never[])) as NodeRedis
      const asked: number[] = []
      const retryStrategy = (times: number) => {
        asked.push(times)
        return times < 3 ? 5 : 1000
      }
      client = NodeRedisClient.at(like, { commandTimeout, lazyConnect: true, retryStrategy })
      client.connect().catch(() => {})
      await vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(3))
      await new Promise((resolve) => setTimeout(resolve, 150))
      client.disconnect()
      balancer.close()
      expect({ asked, dials: sockets.length }).toEqual({ asked: [1, 2, 3], dials: 3 })
    })

    it('leaves no timer if it is closed before it is dialed again', async () => {
      await open({ retryStrategy: () => 60_000 })
      await client.connect()
      const timers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length
      client.disconnect(true)
      await new Promise(setImmediate)
      const whileItWaits = timers()
      const connecting = client.connect()
      client.disconnect()
      await expect(connecting).rejects.toThrow('the connection was closed')
      expect(timers()).toBe(whileItWaits - 1)
    })

    it('does not send commands from while it was down', async () => {
      await open({ retryStrategy: () => 10 })
      await client.connect()
      client.disconnect(true)
      await expect(client.hget('a', 'b')).rejects.toThrow('Redis is not connected')
      await client.connect()
      expect(client.status).toBe('ready')
    })

    it('is given up if the server reports that it is read-only', async () => {
      const errors = await open({ retryStrategy: () => 10 })
      await client.connect()
      await redis.client.replicaof('127.0.0.1', redis.port)
      await expect(client.call('SET', 'a', '1')).rejects.toThrow('READONLY')
      await redis.client.replicaof('NO', 'ONE')
      expect(errors.join()).toContain('READONLY')
    })

    it('fails if it is not established in time', async () => {
      await open({ connectTimeout: 500 })
      proxy.silence(true)
      await expect(client.connect()).rejects.toThrow()
      expect(client.status).toBe('end')
    })

    it('is closed if it is closed while it is being established', async () => {
      await open()
      const connecting = client.connect()
      client.disconnect()
      await expect(connecting).rejects.toThrow()
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(await redis.client.client('LIST')).not.toMatch(/\n.*\n/)
    })
  })
