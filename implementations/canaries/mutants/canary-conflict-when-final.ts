import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-conflict-when-final',
  about: 'Compares the payload only when there is a result.',
  breaks: 'A key never stands for two payloads, nor for two produced-at times, and a record never for two keys',
  patches: [
    {
      file: 'lua/acquire.lua',
      find: 'if state and fingerprint ~= ARGV[4]',
      replace: "if (state == 'completed' or state == 'refused') and fingerprint ~= ARGV[4]",
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['key-reuse'],
    sink: 'fenced',
  },
})
