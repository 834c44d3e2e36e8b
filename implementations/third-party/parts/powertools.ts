/** powertools' `makeIdempotent` on its cache persistence layer. */
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache'
import { createClient } from 'redis'
import type { CreateContext, Handler } from '../../../src/contract/api/implementation.ts'
import type { Message } from '../../../src/contract/api/message.ts'
import type { EffectResult } from '../../../src/contract/api/sink.ts'
import { answeringRefusals } from './answering-refusals.ts'

/** The part of Lambda's handler context that powertools uses. */
export interface LambdaContext {
  getRemainingTimeInMillis(): number
}

/**
 * `contextOf` returns the context of an invocation that begins. Absent: invocations have no
 * context.
 */
export async function powertools({ redis, sink }: CreateContext, contextOf?: () => LambdaContext): Promise<Handler> {
  const client = createClient({ url: redis.url })
  client.on('error', () => {})
  await client.connect()
  return {
    handle: answeringRefusals((message) => {
      // In Lambda, overlapping invocations share no environment; here they share the connection.
      const persistenceStore = new CachePersistenceLayer({ client })
      const config = new IdempotencyConfig({ eventKeyJmesPath: 'key' })
      const perform = ({ key, payload }: Message, _context?: LambdaContext): Promise<EffectResult> =>
        sink.perform({ key, payload })
      const idempotent = makeIdempotent(perform, { persistenceStore, config })
      return contextOf === undefined ? idempotent(message) : idempotent(message, contextOf())
    }),
    close: () => client.destroy(),
  }
}
