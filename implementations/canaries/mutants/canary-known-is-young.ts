import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-known-is-young',
  about: 'What is on record was young enough when it came.',
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
