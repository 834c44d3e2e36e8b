/** A made-up layer that asks the sink about the key, and asks again after an unanswered request. */
import { defineImplementation } from '../../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'asks-the-sink',
  about: 'Look up, perform the effect where the sink has none, and look up again where it did not answer.',
  sinks: ['keyed', 'fenced'],
  create({ sink }) {
    const settled = async (key: string) => (await sink.lookup!(key)).status === 'applied'
    return {
      async handle({ key, payload }) {
        if (await settled(key)) return { status: 'done', result: null }
        try {
          await sink.perform({ key, payload })
        } catch {
          await sink.raise?.(key, 1)
          if (!(await settled(key))) return { status: 'retry' }
        }
        return { status: 'done', result: null }
      },
    }
  },
})
