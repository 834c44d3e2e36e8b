import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-age-not-asked-on-keyed',
  about: 'Does not check the age of a message on a keyed sink.',
  breaks: 'A `keyed` sink remembers for at least the retention and twice the skew',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: `elseif sink ~= 'fenced' and not (counts and permit == '1')`,
      replace: `elseif sink == 'plain' and not (counts and permit == '1')`,
    },
    {
      file: 'lua/begin.lua',
      find: `ARGV[6] ~= 'fenced'`,
      replace: `ARGV[6] == 'plain'`,
    },
  ],
  hunt: {
    killedBy: ['late-copy', 'crash', 'duplicate-delivery', 'lost-acknowledgement'],
    scenarios: ['stale-message'],
    sink: 'keyed',
  },
})
