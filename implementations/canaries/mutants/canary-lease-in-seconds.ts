import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-lease-in-seconds',
  about: 'Sets a lease in seconds that is given in milliseconds.',
  breaks: 'Every message ends `done`, `refused`, `in-doubt` or `conflict`, or is still being retried',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "string.format('%.0f', now + lease), 'fingerprint'",
      replace: "string.format('%.0f', now + lease * 1000), 'fingerprint'",
    },
    {
      file: 'lua/acquire.lua',
      find: "redis.call('HSET', KEYS[1], 'deadline', string.format('%.0f', now + lease))",
      replace: "redis.call('HSET', KEYS[1], 'deadline', string.format('%.0f', now + lease * 1000))",
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['crash-mid-logic'],
  },
})
