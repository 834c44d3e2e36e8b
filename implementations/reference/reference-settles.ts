/**
 * The reference with an operator beside it, who takes no part in runs: at each delivery a process
 * lists the doubts, asks the sink about them, and settles them by `settle`, although others may
 * have performed, settled or lost them since. If a call of `run` itself ends in doubt, the process
 * looks the doubt up by `status`.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { Outcome } from '../../src/contract/api/message.ts'
import { type EffectResult, isSinkRefusal } from '../../src/contract/api/sink.ts'
import { createOnce, type KeyInDoubt, type Settled } from '../../src/impl/once.ts'
import { answer } from './parts/answer.ts'
import { askSlowly } from './parts/ask-sink.ts'
import { optionsOf } from './parts/options.ts'
import reference from './reference.ts'

export default defineImplementation({
  ...reference,
  id: 'reference-settles',
  about: 'The reference with an operator who lists doubts, asks the sink, and settles them.',
  // The layer's sink is plain, whatever the run's is: a doubt that no operator can settle stays.
  leavesNoDoubtOn: [],
  // The lookup, two leases until the answer, and the settlement.
  answersWithinMs: reference.answersWithinMs! + 20_000 + 2 * 4 * 2000,
  create(context) {
    const { sink, leaseMs } = context
    const once = createOnce({
      ...optionsOf(context),
      isRefusal: isSinkRefusal,
      sink: { kind: 'plain', settledByHand: true },
    })
    const settle = async (doubt: KeyInDoubt): Promise<Settled | null> => {
      const known = await askSlowly(sink, doubt, { leaseMs })
      return known.status === 'unknown' ? null : once.settle(doubt, known)
    }
    /** True while doubts are being settled. The results only matter to the operator. */
    let underWay = false
    const settleAll = async () => {
      if (underWay) return
      underWay = true
      try {
        for await (const doubt of once.doubts()) await settle(doubt)
      } catch {
        // Redis or the sink did not answer.
      } finally {
        underWay = false
      }
    }
    /** Settles the doubt in which a run ended; null if that is left to an operator. */
    const settled = async (key: string): Promise<Outcome | null> => {
      const found = await once.status(key)
      // The attempt's lease has not ended yet, or Redis does not answer: look again later.
      if (found.status === 'held' || found.status === 'unreachable') return { status: 'retry', reason: 'in doubt' }
      if (found.status !== 'in-doubt') return null
      const as = await settle(found.doubt)
      if (as === null) return null
      if (as.status === 'done') return { status: 'done', result: as.result as EffectResult }
      return { status: 'retry', reason: `in doubt, and now ${as.status}` }
    }
    return {
      async handle({ key, payload, producedAt }) {
        void settleAll()
        const outcome = await once.run<EffectResult>({ key, payload, producedAt }, ({ fence }) =>
          sink.perform({ key, payload, fence }),
        )
        return (outcome.status === 'in-doubt' ? await settled(key) : null) ?? answer(outcome)
      },
      close: () => once.close(),
    }
  },
})
