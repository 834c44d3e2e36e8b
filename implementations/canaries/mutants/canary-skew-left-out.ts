import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-skew-left-out',
  about: 'Ignores the clock skew when it compares produced-at times.',
  breaks: "The clocks that set produced-at times and Redis's clock are within `maxClockSkewMs` of each other",
  patches: [
    {
      file: 'lua/acquire.lua',
      find: 'produced <= tonumber(born) + skew',
      replace: 'produced <= tonumber(born)',
    },
  ],
  hunt: {
    killedBy: ['redis-restart', 'redis-flushed'],
    scenarios: ['redis-restart'],
  },
})
