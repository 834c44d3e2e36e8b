import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-permit-used-up',
  about: 'Removes a permit when the key is taken.',
  breaks: '`reconcile` has no answer "not found"',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "'permit', counts and permit or '')",
      replace: "'permit', '')",
    },
  ],
  hunt: {
    killedBy: ['crash', 'pause', 'redis-flushed'],
    scenarios: ['slow-settlement'],
    sink: 'fenced',
  },
})
