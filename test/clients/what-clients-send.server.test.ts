/**
 * Each client behaves alike on a real redis-server and on the simulated one: it sends the same
 * bytes and gets the same results.
 */
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import {
  breaker,
  type Program,
  type Sent,
  sentToReal,
  sentToVirtual,
} from '../../packages/virtual-node/test/network/byte-streams.ts'
import { needs } from '../needs/needs.ts'
import type { Client } from './client.ts'
import { clients, type InFlight, type Row } from './clients.ts'

/** Names of errors, because their texts may contain addresses, and values as JSON. */
const shown = (work: Promise<unknown>) =>
  work.then(
    (value) => JSON.stringify(value),
    (error: Error) => error.name,
  )

const reported = (client: Client, event: string) => new Promise<void>((resolve) => client.once(event, resolve))

const reconnecting =
  ({ open }: Row): Program =>
  async (at, log) => {
    const client = open(at)
    for (const event of ['connect', 'ready', 'reconnecting', 'close', 'end']) client.on(event, () => log(event))
    await client.connect()
    const again = reported(client, 'ready')
    const broken = shown(client.get(breaker))
    await again
    log(await broken)
    log(await shown(client.set('a', '1')))
    const ended = reported(client, 'end')
    client.close()
    await ended
  }

const offlineQueue =
  ({ open, lostEvent }: Row): Program =>
  async (at, log) => {
    const client = open(at)
    const ready = client.connect()
    const early = [client.set('a', 'ü\r\n'), client.get('a')].map(shown)
    await ready
    for (const one of early) log(await one)
    const [lost, again] = [reported(client, lostEvent), reported(client, 'ready')]
    const broken = shown(client.get(breaker))
    await lost
    const waiting = [client.incr('b'), client.get('b')].map(shown)
    for (const one of [broken, ...waiting]) log(await one)
    await again
    client.close()
  }

const pipelines =
  ({ open }: Row): Program =>
  async (at, log) => {
    const client = open(at)
    await client.connect()
    for (const one of [client.set('a', '1'), client.incr('a'), client.get('a')].map(shown)) log(await one)
    log(await shown(client.pipeline('a', 'none')))
    log(await shown(client.transaction('a', 'none')))
    log(await shown(client.setFields('a', { is: 'no hash' })))
    client.close()
  }

const inFlight =
  ({ open }: Row, what: InFlight): Program =>
  async (at, log) => {
    const client = open(at)
    await client.connect()
    const again = reported(client, 'ready')
    const broken = shown(what === 'command' ? client.get(breaker) : client[what]('counter', breaker))
    await again
    log(await broken)
    log(await shown(client.get('counter')))
    client.close()
  }

const resp3 =
  ({ open }: Row): Program =>
  async (at, log) => {
    const client = open(at, { resp3: true })
    await client.connect()
    log(await shown(client.setFields('h', { x: '1', y: 'two' })))
    log(await shown(client.fields('h')))
    log(await shown(client.get('none')))
    log(await shown(client.transaction('a', 'none')))
    log(await shown(client.eval("redis.setresp(3) return redis.call('HGETALL', KEYS[1])", 'h')))
    client.close()
  }

async function compared(program: Program): Promise<Sent> {
  const virtual = await sentToVirtual(program)
  const real = await sentToReal(program)
  expect(virtual).toEqual(real)
  return real
}

const asksForResp3 = /HELLO\r\n\$1\r\n3\r\n/i

needs({ redis: '7.0' }).describe('on a real and a simulated redis-server,', () => {
  for (const [name, row] of Object.entries(clients)) {
    it(`${name} reconnects after a connection reset`, async () => {
      const { connections, lines } = await compared(reconnecting(row))
      expect(connections.length).toBe(2)
      expect(lines.filter((line) => line === 'ready').length).toBe(2)
    })

    it(`${name} queues commands while it is offline`, async () => {
      const { connections, lines } = await compared(offlineQueue(row))
      expect(lines.slice(0, 2)).toEqual(['"OK"', '"ü\\r\\n"'])
      expect(lines.slice(3)).toEqual(['1', '"1"'])
      expect(connections[1]).toMatch(/INCR/i)
    })

    it(`${name} pipelines commands`, async () => {
      const { connections, lines } = await compared(pipelines(row))
      expect(connections.length).toBe(1)
      expect(lines.slice(0, 3)).toEqual(['"OK"', '2', '"2"'])
    })

    for (const what of ['command', 'pipeline', 'transaction'] as const)
      it(`${name} ${row.sendsAgain[what] ? 'sends' : 'does not send'} a ${what} in flight again`, async () => {
        const { connections } = await compared(inFlight(row, what))
        expect(connections.map((bytes) => bytes.includes(breaker))).toEqual([true, row.sendsAgain[what]])
      })

    const { RESP3: why } = row.lacks
    it(why === undefined ? `${name} speaks RESP3` : `${name} does not speak RESP3: ${why}`, async () => {
      const { connections } = await compared(resp3(row))
      expect(asksForResp3.test(connections[0]!)).toBe(why === undefined)
    })
  }

  it('a different program sends different bytes', async () => {
    const row = clients['ioredis 6']!
    expect(await sentToVirtual(inFlight(row, 'pipeline'))).not.toEqual(await sentToReal(inFlight(row, 'transaction')))
  })
})

it('BullMQ depends on ioredis 6, so the tests of ioredis 6 cover it', () => {
  const require = createRequire(import.meta.url)
  expect(createRequire(require.resolve('bullmq')).resolve('ioredis')).toBe(require.resolve('ioredis'))
})
