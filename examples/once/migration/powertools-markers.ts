/**
 * Records of consumers whose handler is wrapped by `makeIdempotent` of
 * `@aws-lambda-powertools/idempotency`.
 */
import { IdempotencyItemAlreadyExistsError, IdempotencyRecordStatus } from '@aws-lambda-powertools/idempotency'
import type { BasePersistenceLayer } from '@aws-lambda-powertools/idempotency/persistence'
import type { OldMarkers } from './beside-old.ts'

/**
 * `store`, `expiresAfterSeconds`: as the old consumers configure them. `eventOf`: the event of a
 * key, as they get it.
 *
 * A record in progress that ends later than it expires is one of `once`: a Lambda function ends
 * after at most 15 minutes, and a record expires after an hour or more.
 */
export function powertoolsMarkers<Result>(
  store: BasePersistenceLayer,
  expiresAfterSeconds: number,
  eventOf: (key: string) => { readonly key: string },
): OldMarkers<Result> {
  type Event = Parameters<BasePersistenceLayer['saveInProgress']>[0]
  const event = (key: string) => eventOf(key) as unknown as Event
  return {
    async take(key) {
      try {
        await store.saveInProgress(event(key), 2 * expiresAfterSeconds * 1000)
        return { by: 'once' }
      } catch (error) {
        if (!(error instanceof IdempotencyItemAlreadyExistsError) || error.existingRecord === undefined) throw error
        const { expiryTimestamp = 0, inProgressExpiryTimestamp = 0, responseData } = error.existingRecord
        if (error.existingRecord.getStatus() === IdempotencyRecordStatus.COMPLETED)
          return { by: 'old', finished: true, result: responseData as Result }
        if (inProgressExpiryTimestamp > 1000 * expiryTimestamp) return { by: 'once' }
        // The record of an old consumer that died ends soon, and is taken then.
        return { by: 'old', finished: false, forMs: 0 }
      }
    },
    finish: (key, result) => store.saveSuccess(event(key), result as never),
  }
}
