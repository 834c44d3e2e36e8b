import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '../../../src/contract/json.ts'
import type { Message, Outcome } from '../../../src/contract/message.ts'
import type { Receipt } from '../../../src/contract/sink.ts'

/** The answer to a message whose key has that effect: done, or, where the effect was of another payload, a person's case. */
export function answerTo({ payload }: Message, receipt: Receipt): Outcome {
  const done: JsonValue | undefined = receipt.payload
  if (!isDeepStrictEqual(done, payload)) return { status: 'park', reason: 'key-reused' }
  return { status: 'done', result: receipt }
}
