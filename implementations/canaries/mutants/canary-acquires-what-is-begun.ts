import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-acquires-what-is-begun',
  about: 'Acquires again as the same owner, even if the effect has begun since.',
  breaks: 'Through lost requests and lost replies',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "counts and state == 'acquired' and owner == ARGV[1]",
      replace: 'counts and owner == ARGV[1]',
    },
  ],
  hunt: {
    killedBy: ['crash', 'slow-link'],
    scenarios: ['asked-again'],
  },
})
