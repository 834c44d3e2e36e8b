import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-lease-outlives-clock',
  about: 'Keeps a lease until a clock that went back has caught up.',
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
