/**
 * Canary for the harness: deduplicates in memory, in a Map at module level, without Redis.
 *
 * In a real deployment two consumers share no memory, so nothing is deduplicated between them. All
 * simulated processes share one Node; a harness that also shares the module sees a perfect layer.
 * It must be violated or reported as leaking, and never pass.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import type { EffectResult } from '../../src/contract/api/sink.ts'

const performed = new Map<string, Promise<EffectResult>>()

export default defineImplementation({
  id: 'canary-module-map',
  about: 'Deduplicates in a module-level Map, which works only if processes share their memory.',
  expect: 'broken',
  lacks: ['lease', 'dead-lettering'],
  hunt: { killedBy: [], scenarios: ['competing-consumers'] },
  create({ sink }) {
    return {
      async handle(message) {
        const before = performed.get(message.key)
        if (before !== undefined) return { status: 'done', result: await before }
        const now = sink.perform({ key: message.key, payload: message.payload })
        performed.set(message.key, now)
        return { status: 'done', result: await now }
      },
    }
  },
})
