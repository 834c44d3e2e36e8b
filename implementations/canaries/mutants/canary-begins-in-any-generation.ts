import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-begins-in-any-generation',
  about: '`begin` accepts a record from any generation, not only from the current one.',
  breaks: 'Through the loss of all data, or of some',
  patches: [
    {
      file: 'lua/begin.lua',
      find: 'if not current or of ~= generation then',
      replace: 'if not current then',
    },
  ],
  hunt: {
    killedBy: ['redis-restart'],
    scenarios: ['older-disk'],
  },
})
