import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-reopens-the-held',
  about: 'Reopens a key that is held.',
  breaks: '`reconcile` has no answer "not found"',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'lua/reopen.lua',
      find: `  if state and state ~= 'free' and not ended then return {'lost', state} end
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['redis-flushed', 'redis-restart'],
    scenarios: ['slow-settlement'],
    sink: 'fenced',
  },
})
