import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-absence-is-innocence',
  about: 'Treats a missing record as proof that nothing was done.',
  breaks: '`older-than-the-data`',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "doubt = 'older-than-the-data'",
      replace: 'doubt = false',
    },
  ],
  hunt: {
    killedBy: ['redis-restart', 'redis-flushed'],
    scenarios: ['redis-restart'],
  },
})
