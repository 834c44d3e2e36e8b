import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-future-by-two-skews',
  about: 'Allows produced-at times in the future by twice the clock skew.',
  breaks: '`from-the-future`',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: 'produced > now + skew',
      replace: 'produced > now + 2 * skew',
    },
  ],
  hunt: {
    killedBy: ['clock-step'],
    scenarios: ['edge-of-retention'],
  },
})
