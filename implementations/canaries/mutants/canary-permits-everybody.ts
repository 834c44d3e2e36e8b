import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-permits-everybody',
  about: 'Permits every attempt to perform, however old its message is.',
  breaks: 'A `keyed` sink remembers for at least the retention and twice the skew',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "'permit', counts and permit or ''",
      replace: "'permit', '1'",
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['stale-message'],
    sink: 'keyed',
  },
})
