/**
 * The reference with effects whose results cannot be kept: reading one throws. Copies only get the
 * reason, so the reason contains the receipt: a copy without it would answer null.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { type EffectResult, isSinkRefusal } from '../../src/contract/api/sink.ts'
import { createOnce } from '../../src/impl/once.ts'
import { answer } from './parts/answer.ts'
import { optionsOf } from './parts/options.ts'
import reference from './reference.ts'

interface Unreadable {
  readonly receipt: never
}

export default defineImplementation({
  ...reference,
  id: 'reference-unkept',
  about: 'The reference with results that cannot be kept: every copy gets the reason.',
  create(context) {
    const { sink } = context
    const once = createOnce({ ...optionsOf(context), isRefusal: isSinkRefusal })
    return {
      async handle({ key, payload, producedAt }) {
        const outcome = await once.run<EffectResult | Unreadable>({ key, payload, producedAt }, async ({ fence }) =>
          unreadable(await sink.perform({ key, payload, fence })),
        )
        if (outcome.status === 'done-unkept') return { status: 'done', result: reported(outcome.unkept) }
        return answer(outcome as Parameters<typeof answer>[0])
      },
      close: () => once.close(),
    }
  },
})

function unreadable(receipt: EffectResult): Unreadable {
  return {
    get receipt(): never {
      throw new Error(JSON.stringify({ receipt }))
    },
  }
}

const reported = (unkept: string): EffectResult => (JSON.parse(unkept) as { receipt?: EffectResult }).receipt ?? null
