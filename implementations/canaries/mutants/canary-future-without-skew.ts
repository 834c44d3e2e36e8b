import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-future-without-skew',
  about: 'A produced-at time that is later than now is from the future.',
  breaks: '`from-the-future`',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: 'produced > now + skew',
      replace: 'produced > now',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['stale-message'],
  },
})
