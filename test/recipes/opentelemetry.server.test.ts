import { afterEach, beforeEach, expect, it } from 'vitest'
import { measuredBy } from '../../examples/once/opentelemetry.ts'
import { adopt } from '../../src/impl/once.ts'
import { buckets, closeLayers, freshMessage, layerAt } from '../impl/layers.ts'
import { describeOnRedis } from '../impl/real-redis.ts'

describeOnRedis('metrics by OpenTelemetry', (redis) => {
  beforeEach(async () => void (await adopt({ redis: redis.client, buckets, since: 0 })))
  afterEach(closeLayers)

  it('count transitions, and measure durations by the answer of the run, without keys', async () => {
    const measured: unknown[] = []
    const write = (name: string) => (value: number, attributes: object) => measured.push([name, value, attributes])
    const onEvent = measuredBy({
      createHistogram: (name) => ({ record: write(name) }),
      createCounter: (name) => ({ add: write(name) }),
    })
    const once = layerAt(redis.client, { onEvent })
    const message = freshMessage()
    await once.run(message, async () => 1)
    await once.run(message, async () => 1)
    const duration = ['once.run.duration', expect.any(Number)]
    expect(measured).toEqual([
      ['once.transitions', 1, { type: 'acquired' }],
      ['once.transitions', 1, { type: 'begun' }],
      ['once.transitions', 1, { type: 'completed', on_record: true }],
      [...duration, { status: 'done', repeated: false }],
      [...duration, { status: 'done', repeated: true }],
    ])
    expect(JSON.stringify(measured)).not.toContain(message.key)
  })
})
