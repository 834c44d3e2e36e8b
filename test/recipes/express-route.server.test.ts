import { once as occurs } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { idempotent } from '../../examples/once/express-route.ts'
import { adopt } from '../../src/impl/once.ts'
import { buckets, closeLayers, layerAt } from '../impl/layers.ts'
import { describeOnRedis } from '../impl/real-redis.ts'

/** A new UUID of version 7. */
function freshKey(tail: string): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail.padStart(12, '0')}`
}

describeOnRedis('an Express route', (redis) => {
  let close = async () => {}
  beforeEach(async () => void (await adopt({ redis: redis.client, buckets, since: 0 })))
  afterEach(async () => {
    await close()
    closeLayers()
  })

  it('answers a repeated request like the first one, and enforces the rules for keys', async () => {
    let [start, finish] = [() => {}, () => {}]
    const started = new Promise<void>((resolve) => (start = resolve))
    const finished = new Promise<void>((resolve) => (finish = resolve))
    let charges = 0
    const app = express()
    app.use(express.json())
    const charge = async () => {
      charges++
      start()
      await finished
      return { charge: charges }
    }
    app.post(
      '/charges',
      idempotent(layerAt(redis.client), (request) => String(request.get('Authorization')), charge),
    )
    const server = app.listen(0, '127.0.0.1')
    close = async () => {
      const closed = occurs(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    }
    await occurs(server, 'listening')
    const post = async (key: string | null, body: unknown = { amountCents: 100 }, who = 'ann') => {
      const headers = { 'Content-Type': 'application/json', Authorization: who, ...(key && { 'Idempotency-Key': key }) }
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/charges`
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: response.status, retryAfter: response.headers.get('Retry-After'), body: await response.json() }
    }
    const key = freshKey('1')

    const first = post(key)
    await started
    expect(await post(key)).toMatchObject({ status: 409, retryAfter: '2' })
    finish()
    const answered = { status: 201, body: { charge: 1 } }
    expect(await first).toMatchObject(answered)
    expect(await post(key)).toMatchObject(answered)
    expect(await post(`"${key.toUpperCase()}"`)).toMatchObject(answered)
    expect(charges).toBe(1)
    expect(await post(key, { amountCents: 101 })).toMatchObject({ status: 422 })
    expect(await post(null)).toMatchObject({ status: 400 })
    expect(await post('order-1')).toMatchObject({ status: 400 })
    expect(await post(key, { amountCents: 100 }, 'bob')).toMatchObject({ status: 201, body: { charge: 2 } })
  })
})
