/** An adapter for Onceproof: the consumers that replace `old-powertools.ts`, one by one. */
import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency'
import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache'
import { defineImplementation } from 'onceproof'
import { adopt, createOnce } from 'onceproof/once'
import { createClient } from 'redis'
import { answerOf } from './answer-of.ts'
import { runBesideOld } from './beside-old.ts'
import old from './old-powertools.ts'
import { powertoolsMarkers } from './powertools-markers.ts'

export default defineImplementation({
  ...old,
  id: 'new-beside-powertools',
  about: 'once, which takes the record of powertools before the effect.',
  async create({ redis, leaseMs, retentionMs, sink }) {
    const client = createClient({ url: redis.url })
    client.on('error', () => {})
    await client.connect()
    const store = new CachePersistenceLayer({ client })
    store.configure({ config: new IdempotencyConfig({ eventKeyJmesPath: 'key' }) })
    const once = createOnce({ redis: redis.options, replicas: 0, buckets: 1, leaseMs, retentionMs })
    const markers = powertoolsMarkers<Awaited<ReturnType<typeof sink.perform>>>(store, 3600, (key) => ({ key }))
    // The operator's step, which old effects allow: new consumers see their records.
    const adopted = adopt({ redis: redis.options, buckets: 1, since: 0 })
    return {
      async handle({ key, payload, producedAt }) {
        await adopted
        const message = { key, payload, producedAt }
        return answerOf(await runBesideOld(once, markers, message, () => sink.perform({ key, payload })), 3 * leaseMs)
      },
      close() {
        once.close()
        client.destroy()
      },
    }
  },
})
