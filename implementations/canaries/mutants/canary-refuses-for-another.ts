import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-refuses-for-another',
  about: 'The sink has refused the effect for good, whoever holds its key by now.',
  breaks: 'A refusal that was answered stays one',
  patches: [
    {
      file: 'lua/refuse.lua',
      find: "if state ~= 'begun' or owner ~= ARGV[1] or fence ~= ARGV[2] then",
      replace: "if state ~= 'begun' then",
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before', 'pause'],
    scenarios: ['late-refusal'],
    sink: 'fenced',
  },
})
