import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-age-not-asked',
  about: 'Does not check the age of a message.',
  breaks: '`older-than-retention`',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: "doubt = 'older-than-retention'",
      replace: 'doubt = false',
    },
    {
      file: 'lua/begin.lua',
      find: "if late and permit ~= '1'",
      replace: "if false and late and permit ~= '1'",
    },
  ],
  hunt: {
    killedBy: ['late-copy', 'lost-acknowledgement'],
    scenarios: ['stale-message'],
  },
})
