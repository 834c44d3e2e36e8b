/**
 * The reference with its entry point `prepare`: the payload of the effect is read under the lease,
 * from a slow source that sometimes fails. The time depends on the key, as for account histories:
 * from none to one and a half leases, so that some keys reach their effect only with a heartbeat.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import { type EffectResult, isSinkRefusal } from '../../src/contract/api/sink.ts'
import { createOnce } from '../../src/impl/once.ts'
import { answer } from './parts/answer.ts'
import { optionsOf } from './parts/options.ts'
import reference from './reference.ts'

/** One reading in this number fails. */
const failsOnceIn = 8

export default defineImplementation({
  ...reference,
  id: 'reference-prepares',
  about:
    'The reference with `prepare`: the input of the effect is read under the lease, which may take longer than the lease.',
  // Preparing takes up to one and a half of the longest lease.
  answersWithinMs: reference.answersWithinMs! + 15_000,
  create(context) {
    const { sink, leaseMs } = context
    const once = createOnce({ ...optionsOf(context), isRefusal: isSinkRefusal })
    return {
      async handle({ key, payload, producedAt }) {
        const read = async (): Promise<JsonValue> => {
          const fails = Math.random() * failsOnceIn < 1
          await new Promise((resolve) => setTimeout(resolve, leasesOf(key, leaseMs) * leaseMs))
          if (fails) throw new Error('what the effect is made of cannot be read')
          return payload
        }
        const outcome = await once.run<EffectResult, JsonValue>(
          { key, payload, producedAt },
          // A missing prepared value is sent as null: another payload than the key's.
          { prepare: read, effect: ({ fence }, known) => sink.perform({ key, payload: known ?? null, fence }) },
        )
        return answer(outcome)
      },
      close: () => once.close(),
    }
  },
})

/** 0, a half, 1 or one and a half. In scenarios with one key it differs from plan to plan. */
function leasesOf(key: string, leaseMs: number): number {
  const sum = [...key].reduce((total, character) => total + character.codePointAt(0)!, leaseMs)
  return (sum % 4) / 2
}
