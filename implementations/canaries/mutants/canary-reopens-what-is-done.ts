import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-reopens-what-is-done',
  about: 'Reopens a key that is done.',
  breaks: '`reconcile` has no answer "not found"',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'lua/reopen.lua',
      find: `  if state ~= 'begun' or fence ~= ARGV[1] or nonce ~= ARGV[2] then return {'lost', state or 'missing'} end
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['crash', 'pause'],
    scenarios: ['slow-settlement', 'slow-lock-holder'],
    sink: 'fenced',
  },
})
