import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-gives-up-one-late',
  about: 'Gives up one attempt late.',
  breaks: 'A message is given up only after `maxAttempts` that failed',
  adapter: 'implementations/reference/reference-gives-up.ts',
  patches: [
    {
      file: 'lua/count.lua',
      find: `if before >= tonumber(ARGV[3])`,
      replace: `if before > tonumber(ARGV[3])`,
    },
  ],
  hunt: {
    killedBy: ['crash'],
    scenarios: ['late-crash', 'only-crashes'],
  },
})
