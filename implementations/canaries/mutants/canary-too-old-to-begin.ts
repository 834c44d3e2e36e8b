import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-too-old-to-begin',
  about: 'Checks the age of a message only when it takes the key, not at begin.',
  breaks: '`keyed` sinks',
  patches: [
    {
      file: 'lua/begin.lua',
      find: `if late and permit ~= '1' and ARGV[6] ~= 'fenced' then return {'lost', 'retention'} end
`,
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['crash', 'pause'],
    scenarios: ['too-old-meanwhile'],
    sink: 'keyed',
  },
})
