import { createOnce } from '@onceproof/once'
import { defineImplementation, type EffectResult, isSinkRefusal } from 'onceproof'

/** The work is handed to the reference layer, which decides whether it is performed. */
export default defineImplementation({
  id: 'guarded',
  recoveryBoundMs: 60_000,
  create({ redis, leaseMs, retentionMs, sink }) {
    const once = createOnce({ redis: redis.options, leaseMs, retentionMs, isRefusal: isSinkRefusal })
    return {
      async handle(message) {
        const outcome = await once.run(message, ({ key }) => sink.perform({ key, payload: message.payload }))
        switch (outcome.status) {
          case 'done':
            return { status: 'done', result: outcome.result as EffectResult }
          case 'refused':
            return { status: 'refused', error: outcome.error }
          case 'retry':
            return { status: 'retry', reason: outcome.reason }
          case 'conflict':
            return { status: 'park', reason: 'conflict' }
          case 'in-doubt':
            return { status: 'park', reason: `in-doubt: ${outcome.reason}` }
        }
      },
      close: () => once.close(),
    }
  },
})
