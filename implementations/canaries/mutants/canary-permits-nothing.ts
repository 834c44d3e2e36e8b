import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-permits-nothing',
  about: 'A key that is free is free: that the message is old was asked before.',
  breaks: '`reconcile` has no answer "not found"',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [{ file: 'lua/reopen.lua', find: "'permit', '1')", replace: "'permit', '')" }],
  hunt: {
    killedBy: ['crash', 'slow-effect'],
    scenarios: ['slow-settlement'],
    sink: 'fenced',
  },
})
