import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-reopens-what-is-done',
  about: 'The operator has decided, so the key is free, whatever its record says.',
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
