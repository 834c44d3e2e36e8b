import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-silence-counts',
  about: 'Counts attempts that ended because Redis did not answer.',
  breaks: 'A message is given up only after `maxAttempts` that failed',
  adapter: 'implementations/reference/reference-gives-up.ts',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: "  'redis-unreachable',\n  'postgres",
      replace: "  'postgres",
    },
  ],
  hunt: {
    killedBy: ['slow-redis'],
    scenarios: ['asked-again'],
  },
})
