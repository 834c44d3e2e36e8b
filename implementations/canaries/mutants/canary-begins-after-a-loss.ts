import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-begins-after-a-loss',
  about: 'Begins without checking whether the generation of the record is current.',
  breaks: 'Through the loss of all data, or of some',
  patches: [
    {
      file: 'lua/begin.lua',
      find: 'if not current or of ~= generation then',
      replace: 'if of ~= generation then',
    },
  ],
  hunt: {
    killedBy: ['redis-restart'],
    scenarios: ['older-disk'],
  },
})
