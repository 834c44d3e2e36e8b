/**
 * The PostgreSQL strategy of article 003 on a real PostgreSQL 15: what it stores, and which
 * attempts it lets through.
 */
import { Client } from 'pg'
import { type PostgresServer, startPostgres } from 'test-servers'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import adapter from '../../implementations/articles/003-postgres-skip-locked.ts'
import type { CreateContext } from '../../src/contract/api/implementation.ts'
import { needs, pathOf } from '../needs/needs.ts'

const message = { id: 'message-1', key: 'order-1', payload: { order: 1 }, producedAt: 0 }
const silent = { acquired: () => {}, renewed: () => {}, lost: () => {}, released: () => {} }

needs({ postgres: '15' }).describe('003-postgres-skip-locked, on a real PostgreSQL', () => {
  let real: PostgresServer
  let client: Client
  let context: CreateContext
  let effects: string[]
  let during: () => Promise<void>

  beforeAll(async () => {
    real = await startPostgres(pathOf('postgres'))
    const options = { host: '127.0.0.1', port: real.port, user: 'postgres', password: '', database: 'postgres' }
    client = new Client(options)
    await client.connect()
    const postgres = { options, url: `postgres://postgres@127.0.0.1:${real.port}/postgres` }
    const redis = { options: {}, url: '', nodes: [] }
    const perform = async ({ key }: { key: string }) => {
      effects.push(key)
      await during()
      return { effectId: `effect-${effects.length}`, key }
    }
    const sink = { kind: 'plain', perform } as const
    context = { redis, postgres, instanceId: 'consumer-1', leaseMs: 1000, retentionMs: 86_400_000, sink, lock: silent }
    await adapter.deploy!({ redis, postgres })
  })
  beforeEach(async () => {
    effects = []
    during = async () => {}
    await client.query('TRUNCATE idempotency_records')
  })
  afterAll(async () => {
    await client?.end()
    await real?.stop()
  })

  const handle = async () => (await adapter.create(context)).handle(message)
  const rows = async () =>
    (await client.query('SELECT status, response_code, response_body FROM idempotency_records')).rows

  it('performs once, and answers a duplicate with the stored result', async () => {
    const answer = { status: 'done', result: { effectId: 'effect-1', key: 'order-1' } }
    expect(await handle()).toEqual(answer)
    expect(await handle()).toEqual(answer)
    expect(effects).toEqual(['order-1'])
    expect(await rows()).toEqual([{ status: 'completed', response_code: 200, response_body: answer.result }])
  })

  it('makes a second attempt wait for the first, despite SKIP LOCKED', async () => {
    const order: string[] = []
    during = async () => {
      const second = handle().then(() => order.push('second'))
      await client.query('SELECT pg_sleep(0.2)')
      order.push('first')
      void second
    }
    await handle()
    await expect.poll(() => order).toEqual(['first', 'second'])
    expect(effects).toHaveLength(1)
  })

  it('answers in progress for a completed key while another copy reads it', async () => {
    const answer = await handle()
    // As a second copy does between its SELECT and its COMMIT.
    await client.query("BEGIN; SELECT * FROM idempotency_records WHERE idempotency_key = 'order-1' FOR UPDATE")
    expect(await handle()).toMatchObject({ status: 'retry' })
    await client.query('COMMIT')
    expect(await handle()).toEqual(answer)
  })

  it('leaves nothing behind of a failed effect', async () => {
    during = () => Promise.reject(new Error('the effect fails'))
    await expect(handle()).rejects.toThrow('the effect fails')
    expect(await rows()).toEqual([])
  })

  it('takes over expired records only', async () => {
    const left = (when: string) =>
      client.query(`INSERT INTO idempotency_records VALUES ('order-1', 'in_progress', now() ${when} INTERVAL '1 hour')`)
    await left('+')
    expect(await handle()).toMatchObject({ status: 'retry' })
    await client.query('TRUNCATE idempotency_records')
    await left('-')
    expect(await handle()).toMatchObject({ status: 'done' })
  })
})
