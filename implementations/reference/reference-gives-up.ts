/**
 * The reference with `maxAttempts`: a message whose attempts fail is dead-lettered. The record
 * counts attempts, also of messages that kill their processes. The caller first checks that its
 * attempt is counted. For some keys only the last attempt succeeds, so an attempt that is counted
 * twice leaves none.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import { type EffectResult, isSinkRefusal } from '../../src/contract/api/sink.ts'
import { createOnce } from '../../src/impl/once.ts'
import { answer } from './parts/answer.ts'
import { looksAtCount } from './parts/looks-at-count.ts'
import { optionsOf } from './parts/options.ts'
import reference from './reference.ts'

const maxAttempts = 3

export default defineImplementation({
  ...reference,
  id: 'reference-gives-up',
  about: 'The reference with `maxAttempts`: after three failed attempts a message is dead-lettered.',
  // A message whose attempts are spent is dead-lettered on every sink.
  leavesNoDoubtOn: [],
  deadLetterReasons: {
    ...reference.deadLetterReasons,
    failed: { reason: `failed: ${maxAttempts} attempts`, attempts: maxAttempts, retry: 'prepare-failed' },
  },
  // The check, the count of the attempt, and its undoing.
  answersWithinMs: reference.answersWithinMs! + 50 + 6 * 2000,
  create(context) {
    const { sink } = context
    const once = createOnce({ ...optionsOf(context), isRefusal: isSinkRefusal, maxAttempts })
    const look = looksAtCount(context.redis)
    return {
      async handle({ key, payload, producedAt }) {
        const outcome = await once.run<EffectResult, JsonValue>(
          { key, payload, producedAt },
          {
            async prepare() {
              const attempt = await look.attempt(key)
              if (attempt === null) return payload
              // If the attempt is not counted, or exceeds the limit, sends another payload than the
              // key's.
              if (attempt === 0 || attempt > maxAttempts) return null
              if (attempt < maxAttempts && needsAll(key)) throw new Error('what the effect is made of cannot be read')
              return payload
            },
            effect: ({ fence }, known) => sink.perform({ key, payload: known, fence }),
          },
        )
        return answer(outcome)
      },
      close() {
        look.close()
        once.close()
      },
    }
  },
})

/** True for half of the keys: only their last attempt succeeds. */
function needsAll(key: string): boolean {
  return [...key].reduce((total, character) => total + character.codePointAt(0)!, 0) % 2 === 1
}
