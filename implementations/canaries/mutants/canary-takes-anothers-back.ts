import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-takes-anothers-back',
  about: "Undoes an attempt's count even if another attempt was counted since.",
  breaks: 'A message is given up only after `maxAttempts` that failed',
  adapter: 'implementations/reference/reference-gives-up.ts',
  patches: [
    {
      file: 'lua/abandon.lua',
      find: 'if ARGV[6] and counted == ARGV[2] then',
      replace: 'if ARGV[6] and counted then',
    },
  ],
  hunt: {
    killedBy: ['slow-link'],
    needs: ['slow-redis'],
    scenarios: ['asked-again'],
  },
})
