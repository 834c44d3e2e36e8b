import { Redis } from 'ioredis'
import { createClient as createClient6 } from 'redis'
import { createClient as createClient4 } from 'redis4'
import { createClient as createClient5 } from 'redis5'
import { expect, it } from 'vitest'
import { needs } from '../../../../test/needs/needs.ts'
import { breaker, type Program, sentToReal, sentToVirtual } from './byte-streams.ts'

const script = "return redis.call('INCRBY', KEYS[1], ARGV[1])"

/** Error names, and values as JSON. Texts of errors may contain addresses. */
const shown = (work: Promise<unknown>) =>
  work.then(
    (value) => JSON.stringify(value),
    (error: Error) => error.name,
  )

const withIoredis =
  (options: object = {}): Program =>
  async (at, log) => {
    const client = new Redis({ ...at, retryStrategy: () => 30, ...options })
    client.on('error', () => {})
    client.defineCommand('bump', { numberOfKeys: 1, lua: script })
    // The client is not connected yet, so these commands wait in the offline queue.
    const early = [client.set('a', 'ü\r\n', 'PX', 5000, 'NX'), client.get('a')]
    for (const one of early) log(await shown(one))
    log(await shown(client.pipeline().set('b', '1').incr('b').get('none').exec()))
    log(await shown(client.multi().incr('b').hset('h', { x: 1, y: 'two' }).exec()))
    const scripted = client as unknown as { bump(key: string, by: number): Promise<unknown> }
    for (const by of [2, 3]) log(await shown(scripted.bump('b', by)))
    const again = new Promise((resolve) => client.once('ready', resolve))
    const closed = new Promise((resolve) => client.once('close', resolve))
    // `breaker` is the last command of its turn, because each command is a separate write.
    const broken = [shown(client.set('c', '1')), shown(client.get(breaker))]
    await closed
    // The client is not connected any more.
    const waiting = [shown(client.incr('b')), shown(client.get('b'))]
    for (const one of [...broken, ...waiting]) log(await one)
    await again
    log(await shown(client.quit()))
  }

interface NodeRedis {
  on(event: string, listener: (error: Error) => void): unknown
  once(event: string, listener: () => void): unknown
  connect(): Promise<unknown>
  set(key: string, value: string, options: object): Promise<unknown>
  get(key: string): Promise<unknown>
  incr(key: string): Promise<unknown>
  eval(script: string, options: object): Promise<unknown>
  multi(): { incr(key: string): { hSet(key: string, fields: object): { exec(): Promise<unknown> } } }
  quit(): Promise<unknown>
}

const withNodeRedis =
  (createClient: (options: never) => unknown, options: object = {}): Program =>
  async (at, log) => {
    const socket = { ...at, reconnectStrategy: () => 30 }
    const client = createClient({ socket, ...options } as never) as NodeRedis
    client.on('error', () => {})
    const ready = client.connect()
    const early = [client.set('a', 'ü\r\n', { PX: 5000, NX: true }), client.get('a')]
    await ready
    for (const one of early) log(await shown(one))
    // All commands are sent in one turn, and therefore in one write.
    for (const one of [client.set('b', '1', {}), client.incr('b'), client.get('none')]) log(await shown(one))
    log(await shown(client.multi().incr('b').hSet('h', { x: '1', y: 'two' }).exec()))
    log(await shown(client.eval(script, { keys: ['b'], arguments: ['2'] })))
    const again = new Promise<void>((resolve) => client.once('ready', resolve))
    const lost = new Promise<void>((resolve) => client.once('reconnecting', resolve))
    const broken = [shown(client.set('c', '1', {})), shown(client.get(breaker))]
    await lost
    const waiting = [client.incr('b'), client.get('b')]
    for (const one of broken) log(await one)
    for (const one of waiting) log(await shown(one))
    await again
    log(await shown(client.quit()))
  }

const clients: Record<string, Program> = {
  ioredis: withIoredis(),
  'ioredis with automatic pipelining': withIoredis({ enableAutoPipelining: true }),
  'node-redis 4': withNodeRedis(createClient4),
  'node-redis 5': withNodeRedis(createClient5),
  'node-redis 6': withNodeRedis(createClient6),
  'node-redis 6 with RESP 3': withNodeRedis(createClient6, { RESP: 3 }),
}

needs({ redis: '7.0' }).describe('on a real and a simulated redis-server', () => {
  for (const [name, program] of Object.entries(clients))
    it(`${name} sends the same bytes with an offline queue, pipelines, and a connection that breaks`, async () => {
      const virtual = await sentToVirtual(program)
      const real = await sentToReal(program)
      expect(virtual).toEqual(real)
      expect(real.connections.length).toBe(2)
      expect(real.connections[0]).toContain(breaker)
      expect(real.lines.at(-1)).toBe('"OK"')
    })

  it('a client with other options sends other bytes, which the comparison detects', async () => {
    const real = await sentToReal(withIoredis())
    const other = await sentToVirtual(withIoredis({ connectionName: 'other' }))
    expect(other.lines).toEqual(real.lines)
    expect(other.connections).not.toEqual(real.connections)
  })
})
