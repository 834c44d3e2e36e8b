import net from 'node:net'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterEach, describe, expect, it } from 'vitest'
import { NodeRedisClient } from '../../src/impl/node-redis.ts'
import { openSentinels } from '../../src/impl/redis-at.ts'
import type { Sentinels } from '../../src/impl/sentinels.ts'

/**
 * A Sentinel that knows `replicas` replicas, counts its connections, and can fail in several ways.
 */
class FakeSentinel {
  connections = 0
  questions = 0
  /** The existing connections on which it accepts bytes and answers nothing. */
  deaf = new Set<net.Socket>()
  readonly sockets = new Set<net.Socket>()
  readonly #server = net.createServer((socket) => this.#serve(socket))

  constructor(public replicas: number) {}

  async start(): Promise<{ host: string; port: number }> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return { host: '127.0.0.1', port: (this.#server.address() as net.AddressInfo).port }
  }

  #serve(socket: net.Socket): void {
    this.connections++
    this.sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.sockets.delete(socket))
    socket.on('data', (data) => {
      if (this.deaf.has(socket)) return
      for (const [, command, sub] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n(?:\$\d+\r\n(\w+)\r\n)?/g))
        socket.write(this.#replyTo(command!.toUpperCase(), sub))
    })
  }

  #replyTo(command: string, sub: string | undefined): string {
    if (command === 'HELLO') return '-NOPROTO sorry, this protocol version is not supported.\r\n'
    if (command !== 'SENTINEL') return '+OK\r\n'
    if (sub !== 'MASTER') return '*0\r\n'
    this.questions++
    return `*2\r\n$10\r\nnum-slaves\r\n$1\r\n${this.replicas}\r\n`
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy()
    this.#server.close()
  }
}

const started: { stop(): void }[] = []
afterEach(() => {
  for (const one of started.splice(0)) one.stop()
})

const clients = {
  ioredis: (sentinels: Address[]) => new Redis({ sentinels, name: 'main', lazyConnect: true }),
  'node-redis': (sentinels: Address[]) =>
    NodeRedisClient.behindSentinels({ sentinels, name: 'main', client: createClient() }, { lazyConnect: true }),
}

interface Address {
  host: string
  port: number
}

describe.each(['ioredis', 'node-redis'] as const)('the questions of a layer to Sentinels, over %s,', (client) => {
  async function asking(...fakes: FakeSentinel[]): Promise<Sentinels> {
    const addresses = await Promise.all(fakes.map((fake) => fake.start()))
    const sentinels = openSentinels(clients[client](addresses), 300)
    started.push({ stop: () => sentinels.close() }, ...fakes)
    return sentinels
  }

  const closed = (socket: net.Socket) => new Promise((resolve) => socket.once('close', resolve))

  it('are sent each time, over connections that are kept', async () => {
    const fakes = [new FakeSentinel(1), new FakeSentinel(2)]
    const sentinels = await asking(...fakes)
    expect((await sentinels.replicas()).all).toBe(2)
    fakes[0]!.replicas = 3
    expect((await sentinels.replicas()).all).toBe(3)
    expect(fakes.map(({ connections, questions }) => [connections, questions])).toEqual([
      [1, 2],
      [1, 2],
    ])
  })

  it('use a new connection once the Sentinel has closed the old one', async () => {
    const fake = new FakeSentinel(1)
    const sentinels = await asking(fake)
    await sentinels.replicas()
    for (const socket of fake.sockets) socket.resetAndDestroy()
    fake.replicas = 2
    expect((await sentinels.replicas()).all).toBe(2)
    expect(fake.connections).toBe(2)
  })

  it('are sent again if the kept connection is dead', async () => {
    const fake = new FakeSentinel(1)
    const sentinels = await asking(fake)
    await sentinels.replicas()
    fake.deaf = new Set(fake.sockets)
    fake.replicas = 2
    expect((await sentinels.replicas()).all).toBe(2)
    expect(fake.connections).toBe(2)
  })

  it('fail if a new connection gets no answer either, and succeed when it does', async () => {
    const fake = new FakeSentinel(1)
    const sentinels = await asking(fake)
    fake.deaf.has = () => true
    await expect(sentinels.replicas()).rejects.toThrow('no Sentinel says how many replicas there are')
    fake.deaf = new Set()
    expect((await sentinels.replicas()).all).toBe(1)
  })

  it('end when the layer closes', async () => {
    const fake = new FakeSentinel(1)
    const sentinels = await asking(fake)
    await sentinels.replicas()
    const gone = [...fake.sockets].map(closed)
    sentinels.close()
    await Promise.all(gone)
    expect(fake.sockets.size).toBe(0)
    await expect(sentinels.replicas()).rejects.toThrow('no Sentinel says')
    expect(fake.connections).toBe(1)
  })
})
