import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-eviction-unnoticed',
  about: 'Does not notice that Redis evicts keys.',
  breaks: 'Through the loss of all data, or of some',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: `if policy ~= 'noeviction' then return {'evicts', policy} end
`,
      replace: '',
    },
    {
      file: 'lua/acquire.lua',
      find: 'known[1] ~= replid or known[2] ~= evicted',
      replace: 'known[1] ~= replid',
    },
    {
      file: 'lua/begin.lua',
      find: " and evicted == info('stats', 'evicted_keys')",
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['eviction'],
    scenarios: ['eviction'],
  },
})
