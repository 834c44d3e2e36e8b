/** An adapter for Onceproof: the consumers before the migration, with powertools. */
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache'
import { defineImplementation } from 'onceproof'
import { createClient } from 'redis'

export default defineImplementation({
  id: 'old-powertools',
  about: 'A handler that makeIdempotent of powertools wraps, with its records in Redis.',
  shapes: ['single'],
  async create({ redis, leaseMs, sink }) {
    const client = createClient({ url: redis.url })
    client.on('error', () => {})
    await client.connect()
    return {
      async handle(message) {
        const endsAt = Date.now() + leaseMs
        const context = { getRemainingTimeInMillis: () => endsAt - Date.now() }
        const perform = ({ key, payload }: typeof message, _: typeof context) => sink.perform({ key, payload })
        const persistenceStore = new CachePersistenceLayer({ client })
        const config = new IdempotencyConfig({ eventKeyJmesPath: 'key' })
        const result = await makeIdempotent(perform, { persistenceStore, config })(message, context)
        return { status: 'done', result }
      },
      close: () => client.destroy(),
    }
  },
})
