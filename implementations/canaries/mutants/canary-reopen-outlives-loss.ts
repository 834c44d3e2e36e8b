import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-reopen-outlives-loss',
  about: 'Reopens a key although Redis may have lost data since the doubt was reported.',
  breaks: '`reconcile` has no answer "not found"',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'lua/reopen.lua',
      find: `if not current or generation ~= ARGV[4] then return {'lost', 'generation'} end
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['redis-flushed'],
    scenarios: ['slow-settlement'],
    sink: 'fenced',
  },
})
