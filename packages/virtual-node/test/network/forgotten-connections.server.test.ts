/**
 * Compares what a client observes of a connection that was forgotten on its way, with real sockets
 * and clients as the reference.
 */
import { once } from 'node:events'
import net from 'node:net'
import { Redis } from 'ioredis'
import { createClient as createClient6 } from 'redis'
import { createClient as createClient5 } from 'redis5'
import { describe, expect, it } from 'vitest'
import { needs } from '../../../../test/needs/needs.ts'
import { breaker, type Program, sentToReal, sentToVirtual } from './byte-streams.ts'
import { type Client, expectAlike, onRealSockets, onVirtualSockets, type Serve } from './sides.ts'
import { reported, states, watch } from './watched-socket.ts'

/**
 * Forgets the connection after the first bytes of the client. Later actions of the server have no
 * effect.
 */
const forgets: Serve = () => ({
  received(peer) {
    peer.forget()
    peer.write('answer')
    peer.after(30, () => peer.end())
    peer.after(60, () => peer.reset())
  },
})

const cases: Record<string, Client> = {
  'writes succeed without a reply until the socket has its own timeout': (at, log, over) => {
    const socket = watch(net.connect(at), log, over)
    socket.write('hello')
    setTimeout(() => socket.write('anybody?', (error) => log(`written ${reported(error)} ${socket.bytesWritten}`)), 50)
    socket.setTimeout(150)
    socket.on('timeout', () => socket.destroy(new Error('enough')))
  },
  'end() is never answered': (at, log, over) => {
    const socket = watch(net.connect(at), log, over)
    socket.write('hello')
    setTimeout(() => socket.end(() => log(`ended ${states(socket)}`)), 50)
    setTimeout(() => {
      log(`later ${states(socket)}`)
      socket.destroy()
    }, 200)
  },
  'resetAndDestroy() closes only its own end': (at, log, over) => {
    const socket = watch(net.connect(at), log, over)
    socket.write('hello')
    setTimeout(() => socket.resetAndDestroy(), 100)
  },
  'another connection still opens, and is forgotten separately': (at, log, over) => {
    const first = net.connect(at, () => first.write('hello'))
    first.on('close', () => log('the first is closed'))
    setTimeout(() => {
      const second = watch(net.connect(at), log, over)
      second.on('connect', () => log(`the first is ${states(first)}`))
      setTimeout(() => second.destroy(), 50)
      second.on('close', () => first.destroy())
    }, 80)
  },
}

describe('a virtual socket whose connection was forgotten behaves like a real one:', () => {
  for (const [name, client] of Object.entries(cases))
    it(name, async () => {
      expect((await expectAlike(forgets, client)).length).toBeGreaterThan(0)
    })

  it('the comparison detects a connection that its server closed', async () => {
    const closes: Serve = () => ({ received: (peer) => peer.after(30, () => peer.end()) })
    const client = cases['end() is never answered']!
    expect(await onVirtualSockets(closes, client)).not.toEqual(await onRealSockets(forgets, client))
  })
})

const shown = (work: Promise<unknown>) =>
  work.then(
    (value) => JSON.stringify(value),
    (error: Error) => `${error.name} ${error.message}`,
  )

const withIoredis =
  (options: object): Program =>
  async (at, log) => {
    const client = new Redis({ ...at, retryStrategy: () => 30, ...options })
    client.on('error', ({ message }) => log(message))
    client.on('close', () => log('close'))
    log(await shown(client.set('a', '1')))
    const lost = [client.set('b', '1'), client.get(breaker)].map(shown)
    for (const one of lost) log(await one)
    log(await shown(client.incr('a')))
    const closed = once(client, 'close')
    client.disconnect()
    await closed
  }

const withNodeRedis =
  (createClient: (options: never) => unknown): Program =>
  async (at, log) => {
    const client = createClient({ socket: { ...at, socketTimeout: 1000, reconnectStrategy: () => 30 } } as never) as {
      on(event: string, listener: (error: Error) => void): unknown
      once(event: string, listener: () => void): unknown
      connect(): Promise<unknown>
      get(key: string): Promise<unknown>
      incr(key: string): Promise<unknown>
      destroy(): void
    }
    client.on('error', ({ name, message }) => log(`${name} ${message}`))
    await client.connect()
    log(await shown(client.incr('a')))
    const again = new Promise<void>((resolve) => client.once('ready', resolve))
    log(await shown(client.get(breaker)))
    log(await shown(client.incr('a')))
    await again
    client.destroy()
  }

const programs: Record<string, [Program, { readonly connections: number }]> = {
  'ioredis that gives up on commands': [withIoredis({ commandTimeout: 1000 }), { connections: 1 }],
  'ioredis that gives up on connections': [withIoredis({ socketTimeout: 1000 }), { connections: 2 }],
  'node-redis 5 that gives up on connections': [withNodeRedis(createClient5), { connections: 2 }],
  'node-redis 6 that gives up on connections': [withNodeRedis(createClient6), { connections: 2 }],
}

needs({ redis: '7.0' }).describe('on a forgotten connection, the same client sends and reports the same:', () => {
  for (const [name, [program, { connections }]] of Object.entries(programs))
    it(name, async () => {
      const virtual = await sentToVirtual(program, 'forgotten')
      const real = await sentToReal(program, 'forgotten')
      expect(virtual).toEqual(real)
      expect(real.connections.length).toBe(connections)
    })

  it('a forgotten connection differs from one that is reset', async () => {
    const [program] = programs['ioredis that gives up on commands']!
    expect(await sentToVirtual(program, 'reset')).not.toEqual(await sentToReal(program, 'forgotten'))
  })
})
