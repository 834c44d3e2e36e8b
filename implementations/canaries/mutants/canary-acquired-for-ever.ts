import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-acquired-for-ever',
  about: 'Acquires a key without a TTL, and leaves it to the next transition.',
  breaks: 'No key lives forever, except one per bucket (1024)',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "redis.call('PEXPIRE', KEYS[1], math.max(ARGV[3], redis.call('PTTL', KEYS[1])))",
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['crash-mid-logic'],
  },
})
