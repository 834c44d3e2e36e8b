import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-known-is-young',
  about: 'Does not check the age of a message with a record.',
  breaks: '`older-than-retention`',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "elseif sink ~= 'fenced' and not (counts and permit == '1') and now",
      replace: "elseif sink ~= 'fenced' and not counts and now",
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['edge-of-retention'],
  },
})
