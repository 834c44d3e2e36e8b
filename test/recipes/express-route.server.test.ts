import { once as occurs } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { idempotent } from '../../examples/once/express-route.ts'
import { chargedBy, type StripeLike, stripeRules } from '../../examples/once/stripe-payment.ts'
import { adopt, type Once } from '../../src/impl/once.ts'
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

  /** Serves the effect behind the layer; returns the function that posts to it. */
  async function serving(once: Once, effect: Parameters<typeof idempotent>[2]) {
    const app = express()
    app.use(express.json())
    const caller = (request: express.Request) => String(request.get('Authorization'))
    app.post('/charges', idempotent(once, caller, effect))
    const server = app.listen(0, '127.0.0.1')
    close = async () => {
      const closed = occurs(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    }
    await occurs(server, 'listening')
    return async (key: string | null, body: unknown = { amountCents: 100 }, who = 'ann') => {
      const headers = { 'Content-Type': 'application/json', Authorization: who, ...(key && { 'Idempotency-Key': key }) }
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/charges`
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: response.status, retryAfter: response.headers.get('Retry-After'), body: await response.json() }
    }
  }

  it('answers a repeated request like the first one, and enforces the rules for keys', async () => {
    let [start, finish] = [() => {}, () => {}]
    const started = new Promise<void>((resolve) => (start = resolve))
    const finished = new Promise<void>((resolve) => (finish = resolve))
    let charges = 0
    const charge = async () => {
      charges++
      start()
      await finished
      return { charge: charges }
    }
    const post = await serving(layerAt(redis.client), charge)
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

  it('repeats an unanswered payment with the same key, and the provider charges once', async () => {
    const charges = new Map<string, { id: string; status: string }>()
    let loseReplies = 1
    const stripe: StripeLike = {
      paymentIntents: {
        async create({ amount }, { idempotencyKey }) {
          if (amount === 402) throw Object.assign(new Error('Your card was declined.'), { type: 'StripeCardError' })
          const charge = charges.get(idempotencyKey) ?? { id: `pi_${charges.size + 1}`, status: 'succeeded' }
          charges.set(idempotencyKey, charge)
          if (loseReplies-- > 0) throw Object.assign(new Error('socket hang up'), { type: 'StripeConnectionError' })
          return charge
        },
      },
    }
    const post = await serving(layerAt(redis.client, { ...stripeRules, leaseMs: 300 }), chargedBy(stripe))
    const key = freshKey('1')
    expect(await post(key)).toMatchObject({ status: 503, body: { error: 'effect-unanswered' } })
    const answered = { status: 201, body: { id: 'pi_1', status: 'succeeded' } }
    // Until the lease of the first request ends, the answer is 409.
    await expect.poll(() => post(key)).toMatchObject(answered)
    expect(await post(key)).toMatchObject(answered)
    expect(charges.size).toBe(1)
    const declined = { status: 402, body: { error: 'Your card was declined.' } }
    const other = freshKey('2')
    expect(await post(other, { amountCents: 402 })).toMatchObject(declined)
    expect(await post(other, { amountCents: 402 })).toMatchObject(declined)
  })
})
