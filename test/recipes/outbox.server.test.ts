import { beforeEach, expect, it } from 'vitest'
import { namespaces, orderLayer, outboxTables, place, relay, relayLayer } from '../../examples/once/outbox.ts'
import { createOnceTables } from '../../src/impl/once.ts'
import { describeOnPostgres } from '../impl/real-postgres.ts'

describeOnPostgres('an outbox', (postgres) => {
  beforeEach(async () => {
    await postgres.rows('DROP TABLE IF EXISTS orders, outbox')
    for (const namespace of namespaces) {
      await postgres.rows(`DROP TABLE IF EXISTS once_${namespace}_records, once_${namespace}_generations`)
      await createOnceTables({ pool: postgres.pool, namespace })
    }
    await postgres.rows(outboxTables)
  })
  const order = (key: string) => ({ key, cents: 100, producedAt: Date.now() })
  const waiting = () => postgres.rows('SELECT event, aside FROM outbox ORDER BY id')

  it('has one event for an order that came twice, and none for an order that failed', async () => {
    const orders = orderLayer(postgres.pool)
    const twice = order('order-1')
    const outcomes = await Promise.all([place(orders, twice), place(orders, twice)])
    expect(outcomes.map((outcome) => outcome.status === 'done' && outcome.repeated).sort()).toEqual([false, true])
    expect(await place(orders, { ...order('order-2'), cents: 2 ** 40 })).toMatchObject({ reason: 'rolled-back' })
    expect(await waiting()).toEqual([{ event: { placed: 'order-1', cents: 100 }, aside: null }])
    expect(await postgres.rows('SELECT key FROM orders')).toEqual([{ key: 'order-1' }])
  })

  it('is sent once and in order, though two relays send it', async () => {
    const orders = orderLayer(postgres.pool)
    for (const key of ['a', 'b', 'c']) await place(orders, order(key))
    const sent: unknown[] = []
    const send = async (event: unknown) => void sent.push(event)
    const relays = [relayLayer(postgres.pool), relayLayer(postgres.pool)]
    while ((await waiting()).length > 0) await Promise.all(relays.map((once) => relay(postgres.pool, once, send)))
    expect(sent).toMatchObject([{ placed: 'a' }, { placed: 'b' }, { placed: 'c' }])
  })

  it('sets an event aside if it is unknown whether it was sent, and continues', async () => {
    const orders = orderLayer(postgres.pool)
    for (const key of ['a', 'b']) await place(orders, order(key))
    const sent: unknown[] = []
    const send = async (event: unknown) => {
      sent.push(event)
      if (sent.length === 1) throw new Error('no answer')
    }
    await relay(postgres.pool, relayLayer(postgres.pool), send)
    await relay(postgres.pool, relayLayer(postgres.pool), send)
    expect(sent).toMatchObject([{ placed: 'a' }, { placed: 'b' }])
    expect(await waiting()).toMatchObject([{ event: { placed: 'a' }, aside: 'in-doubt' }])
  })
})
