import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-refuses-for-another',
  about: 'Records a refusal even if another attempt holds the key by now.',
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
