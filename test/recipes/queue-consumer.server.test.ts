import { EventEmitter, once as occurs } from 'node:events'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { consume, type Queue } from '../../examples/once/queue-consumer.ts'
import { adopt } from '../../src/impl/once.ts'
import { buckets, closeLayers, layerAt } from '../impl/layers.ts'
import { describeOnRedis } from '../impl/real-redis.ts'

interface Queued {
  readonly body: string
  handle: string
  visible: boolean
}

/** A queue whose visibility timeouts end at a call of the test. */
class VisibilityQueue {
  readonly messages: Queued[] = []
  readonly dead: string[] = []
  readonly delays: number[] = []
  #handles = 0
  #closed = false
  readonly #changed = new EventEmitter()

  send(body: object): void {
    this.messages.push({ body: JSON.stringify(body), handle: '', visible: true })
    this.#changed.emit('change')
  }

  /** Ends the visibility timeout of all messages in work. */
  timeOut(): void {
    for (const message of this.messages) message.visible = true
    this.#changed.emit('change')
  }

  close(): void {
    this.#closed = true
    this.#changed.emit('change')
  }

  readonly client: Queue = {
    receive: async () => {
      for (;;) {
        if (this.#closed) return undefined
        const message = this.messages.find(({ visible }) => visible)
        if (message !== undefined) {
          Object.assign(message, { visible: false, handle: `receipt-${++this.#handles}` })
          return { body: message.body, receiptHandle: message.handle }
        }
        await occurs(this.#changed, 'change')
      }
    },
    delete: async (handle) => {
      const at = this.messages.findIndex((message) => message.handle === handle)
      if (at >= 0) this.messages.splice(at, 1)
    },
    changeVisibility: async (_, seconds) => void this.delays.push(seconds),
    deadLetter: async (body, why) => void this.dead.push(`${JSON.parse(body).key}: ${why}`),
  }
}

describeOnRedis('a consumer of a queue with visibility timeouts', (redis) => {
  beforeEach(async () => void (await adopt({ redis: redis.client, buckets, since: 0 })))
  afterEach(closeLayers)

  it('hides a copy for a useful time, and deletes it once the record has answered it', async () => {
    const queue = new VisibilityQueue()
    const performed: unknown[] = []
    let [start, finish] = [() => {}, () => {}]
    const started = new Promise<void>((resolve) => (start = resolve))
    const finished = new Promise<void>((resolve) => (finish = resolve))
    const first = consume(queue.client, layerAt(redis.client), async (payload) => {
      performed.push(payload)
      start()
      await finished
    })
    queue.send({ key: 'a', producedAt: Date.now(), payload: 7 })
    await started
    const second = consume(queue.client, layerAt(redis.client), async (payload) => void performed.push(payload))
    queue.timeOut()
    // A quarter of the lease of 6 s, in whole seconds.
    await expect.poll(() => queue.delays).toEqual([2])
    finish()
    // The first receipt handle is no longer valid; the message comes once more.
    await expect.poll(async () => (await layerAt(redis.client).status('a')).status).toBe('done')
    expect(queue.messages).toHaveLength(1)
    queue.timeOut()
    await expect.poll(() => queue.messages).toEqual([])
    queue.close()
    await Promise.all([first, second])
    expect({ performed, dead: queue.dead }).toEqual({ performed: [7], dead: [] })
  })

  it('sets a message in doubt aside', async () => {
    const queue = new VisibilityQueue()
    queue.send({ key: 'a', producedAt: Date.now(), payload: 7 })
    const fails = async () => {
      queue.close()
      throw new Error('502')
    }
    await consume(queue.client, layerAt(redis.client), fails)
    expect(queue).toMatchObject({ dead: ['a: in-doubt'], messages: [] })
  })
})
