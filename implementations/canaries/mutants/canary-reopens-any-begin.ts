import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-reopens-any-begin',
  about: 'Reopens any begun effect, not only the settled one.',
  breaks: '`reconcile` has no answer "not found"',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'lua/reopen.lua',
      find: "if state ~= 'begun' or fence ~= ARGV[1] or nonce ~= ARGV[2] then",
      replace: "if state ~= 'begun' then",
    },
  ],
  hunt: {
    killedBy: ['crash', 'slow-effect'],
    scenarios: ['slow-settlement'],
    sink: 'fenced',
  },
})
