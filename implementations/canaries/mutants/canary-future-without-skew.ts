import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-future-without-skew',
  about: 'Treats every produced-at time after now as in the future, without the clock skew.',
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
