import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-absence-is-innocence',
  about: 'No record: nobody has done it.',
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
