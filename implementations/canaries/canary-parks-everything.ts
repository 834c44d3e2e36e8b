/**
 * Canary for the harness: dead-letters every message. It never performs an effect, so no invariant
 * about effects can break; `no-needless-park` alone must catch it.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'

export default defineImplementation({
  id: 'canary-parks-everything',
  about: 'Dead-letters every message and performs nothing: safe and useless.',
  expect: 'broken',
  lacks: ['lease', 'stored-result'],
  hunt: { killedBy: [], scenarios: ['competing-consumers'] },
  create() {
    return {
      handle: async () => ({ status: 'dead-letter', reason: 'in-doubt: this layer never tries' }),
    }
  },
})
