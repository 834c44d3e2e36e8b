import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-lease-outlives-clock',
  about: 'A lease that was given before the clock went back lasts until the clock has caught up.',
  breaks: "Redis's clock does not jump forwards by more than twice `maxClockSkewMs`",
  patches: [
    {
      file: 'lua/acquire.lua',
      find: 'if left > lease then',
      replace: 'if false then',
    },
  ],
  hunt: {
    killedBy: ['clock-step'],
    scenarios: ['clock-skew'],
  },
})
