import { adopt, createOnce } from '@onceproof/once'
import { defineImplementation, isSinkRefusal } from 'onceproof'

/**
 * One bucket is enough for one Redis primary. A Cluster needs the default number of `createOnce`.
 */
const buckets = 1

/** Passes each effect to the reference layer, which decides whether the effect is performed. */
export default defineImplementation({
  id: 'guarded',
  recoveryBoundMs: 60_000,
  lacks: ['offline-queue'],

  /** The first deployment: no effect has been performed before. */
  async deploy({ redis }) {
    const { status } = await adopt({ redis: redis.options, buckets, since: 0 })
    if (status !== 'adopted') throw new Error(`not adopted: ${status}`)
  },

  create({ redis, leaseMs, retentionMs, sink }) {
    const once = createOnce({
      redis: redis.options,
      replicas: 0,
      buckets,
      leaseMs,
      retentionMs,
      isRefusal: isSinkRefusal,
    })
    return {
      async handle({ key, payload, producedAt }) {
        const outcome = await once.run({ key, payload, producedAt }, () => sink.perform({ key, payload }))
        switch (outcome.status) {
          case 'done':
            return { status: 'done', result: outcome.result }
          case 'done-unkept':
            return { status: 'done', result: null }
          case 'refused':
            return { status: 'refused', error: outcome.error }
          case 'retry':
            await new Promise((resolve) => setTimeout(resolve, outcome.retryAfterMs))
            return { status: 'retry', reason: outcome.reason }
          case 'in-doubt':
            return { status: 'dead-letter', reason: `in-doubt: ${outcome.reason}` }
          case 'conflict':
            return { status: 'dead-letter', reason: 'the key came with another payload' }
          case 'failed':
            return { status: 'dead-letter', reason: 'its attempts failed' }
        }
      },
      close: () => once.close(),
    }
  },
})
