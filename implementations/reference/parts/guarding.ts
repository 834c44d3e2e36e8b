import type { Handler } from '../../../src/contract/api/implementation.ts'
import type { EffectResult, Sink } from '../../../src/contract/api/sink.ts'
import type { Once } from '../../../src/impl/once.ts'
import { answer } from './answer.ts'

/** The layer around the sink, as in the adapter `reference`. */
export function guarding(once: Once, sink: Sink): Required<Handler> {
  return {
    async handle({ key, payload, producedAt }) {
      const outcome = await once.run<EffectResult>({ key, payload, producedAt }, ({ fence }) =>
        sink.perform({ key, payload, fence }),
      )
      return answer(outcome)
    },
    close: () => once.close(),
  }
}
