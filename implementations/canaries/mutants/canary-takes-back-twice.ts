import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-takes-back-twice',
  about: 'Undoes the count of an attempt twice if the command is repeated.',
  breaks: 'A message is given up only after `maxAttempts` that failed',
  adapter: 'implementations/reference/reference-gives-up.ts',
  patches: [
    {
      file: 'lua/abandon.lua',
      find: "  redis.call('HDEL', KEYS[1], 'counted')\n  if attempts",
      replace: '  if attempts',
    },
  ],
  hunt: {
    killedBy: ['slow-redis'],
    scenarios: ['asked-again'],
  },
})
