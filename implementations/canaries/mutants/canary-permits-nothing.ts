import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-permits-nothing',
  about: 'Frees a key without a permit for its old message.',
  breaks: '`reconcile` has no answer "not found"',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [{ file: 'lua/reopen.lua', find: "'permit', '1')", replace: "'permit', '')" }],
  hunt: {
    killedBy: ['crash', 'slow-effect'],
    scenarios: ['slow-settlement'],
    sink: 'fenced',
  },
})
