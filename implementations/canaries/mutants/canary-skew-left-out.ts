import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-skew-left-out',
  about: 'The clock that stamps messages and that of Redis agree.',
  breaks: "The clocks that stamp messages and Redis's clock are within `maxClockSkewMs` of each other",
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
