import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-result-not-stored',
  about: 'Records that the effect is done, but not its result.',
  breaks: 'A repeated message gets the result that the effect gave, or is answered that it was not kept',
  patches: [
    {
      file: 'lua/complete.lua',
      find: "'result', ARGV[2])",
      replace: "'result', 'null')",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
