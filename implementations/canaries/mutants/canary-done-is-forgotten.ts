import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-done-is-forgotten',
  about: 'Deletes the record when the effect is done.',
  breaks: 'Among competing consumers',
  patches: [
    {
      file: 'lua/complete.lua',
      find: "redis.call('HDEL', KEYS[1], 'error', 'began', 'begins', 'process', 'meta')",
      replace: "redis.call('DEL', KEYS[1])",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
