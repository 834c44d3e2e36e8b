import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-set-on-complete',
  about: 'Writes the result by a plain SET.',
  breaks: 'No key lives forever, except one per bucket (1024)',
  patches: [
    {
      file: 'lua/complete.lua',
      find: "redis.call('HDEL', KEYS[1], 'error', 'began', 'begins', 'process', 'meta')",
      replace: "redis.call('SET', KEYS[1], ARGV[2])",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
