import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-gives-up-too-soon',
  about: 'Gives up before the first attempt.',
  breaks: 'A message is given up only after `maxAttempts` that failed',
  adapter: 'implementations/reference/reference-gives-up.ts',
  patches: [
    {
      file: 'lua/count.lua',
      find: "if before >= tonumber(ARGV[3]) then return {'spent', before} end",
      replace: "if true then return {'spent', before} end",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
