import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-owner-of-process',
  about: 'Uses one owner per process instead of one per attempt.',
  breaks: 'Among competing consumers',
  patches: [
    {
      file: 'src/impl/records.ts',
      find: 'owner: freshToken() }',
      replace: 'owner: processToken }',
    },
    {
      file: 'src/impl/records.ts',
      find: 'export class Records {',
      replace: 'const processToken = freshToken()\n\nexport class Records {',
    },
    {
      file: 'lua/begin.lua',
      find: "local again = mine and state == 'begun' and nonce == ARGV[3]",
      replace: "local again = mine and state == 'begun'",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
