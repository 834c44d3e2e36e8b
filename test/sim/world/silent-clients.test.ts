import { Client } from 'pg'
import { expect, it } from 'vitest'
import type { Message } from '../../../src/contract/api/message.ts'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { pgLayer } from '../postgres-lab.ts'
import { done, nowMs, play, sleep } from '../world-lab.ts'

const forgotten: PlannedFault = { kind: 'half-open', when: { at: 'time', ms: 100 }, consumer: 0 }
const hours = 3_600_000

/**
 * A client locks a key and is forgotten. Returns the time in milliseconds at which the next one
 * gets the lock.
 */
async function freeAtMs(begin: string, more: object = {}): Promise<number> {
  let freeAt = Number.NaN
  const layer = pgLayer(async (_: Message, holder, { postgres }) => {
    await holder.query(begin)
    await holder.query('SELECT pg_advisory_xact_lock(1), pg_advisory_lock(2)')
    await sleep(200)
    const next = new Client(postgres!.options)
    await next.connect()
    await next.query('SELECT pg_advisory_lock(1), pg_advisory_lock(2)')
    freeAt = nowMs()
    return done
  })
  const faults = [forgotten]
  const played = await play({ ...layer, ...more }, { consumers: 1, faults, visibilityMs: 3 * hours })
  expect(played.unsupported).toEqual([])
  return freeAt
}

it('a session of a vanished client ends when its server notices, and releases its locks', async () => {
  expect(await freeAtMs('BEGIN')).toBeCloseTo(15_100, -2)
})

it('a session of a layer that limits its transactions ends after two hours without a limit', async () => {
  const limits = { has: ['transaction-limit'] as const }
  expect(await freeAtMs('BEGIN', limits)).toBeGreaterThan(2 * hours)
  expect(await freeAtMs('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 1000', limits)).toBeLessThan(1500)
})

it('a partition from Redis affects the other store if the layer uses that instead', async () => {
  const cut: PlannedFault = {
    kind: 'partition',
    when: { at: 'time', ms: 100 },
    consumer: 0,
    node: 'redis',
    way: 'both',
    healAfterMs: 1000,
  }
  const slow: PlannedFault = {
    kind: 'slow-link',
    when: { at: 'time', ms: 0 },
    consumer: 0,
    node: 'redis',
    extraMs: 40,
    healAfterMs: 9000,
  }
  const layer = pgLayer(async (_, client) => {
    await sleep(200)
    await client.query('SELECT 1 FROM records')
    return done
  })
  const played = await play(layer, { consumers: 1, faults: [cut, slow] })
  expect(played.of('fault-struck').map(({ sentence }) => sentence)).toEqual([
    'every message between consumer-1 and postgres takes 40 ms longer, for 9 s',
    'consumer-1 and postgres are cut off from each other, for 1 s',
  ])
  expect(played.of('answered')[0]!.atUs).toBeGreaterThan(1_100_000)
})
