import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-settles-what-is-there',
  about: 'Settles the key, whatever has begun since.',
  breaks: 'A settlement settles exactly the doubt that was reported',
  adapter: 'implementations/reference/reference-settles.ts',
  patches: [
    {
      file: 'lua/reopen.lua',
      find: "if state ~= 'begun' or fence ~= ARGV[1] or nonce ~= ARGV[2] then",
      replace: "if state ~= 'begun' then",
    },
  ],
  hunt: {
    killedBy: ['crash', 'slow-effect'],
    scenarios: ['slow-settlement'],
    sink: 'fenced',
  },
})
