import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-records-for-ever',
  about: 'Keeps finished records without an expiry.',
  breaks: 'No key lives forever, except one per bucket (1024)',
  patches: [
    {
      file: 'lua/complete.lua',
      find: "redis.call('PEXPIRE', KEYS[1], math.max(ARGV[4], redis.call('PTTL', KEYS[1])))",
      replace: "redis.call('PERSIST', KEYS[1])",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
