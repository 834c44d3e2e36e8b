import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-uncounted-counts',
  about: 'An attempt that was put off for a replica too many has been tried like any other.',
  breaks: 'A message is given up only after `maxAttempts` that failed',
  adapter: 'implementations/reference/reference-gives-up.ts',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: `  'replicas-uncounted',
])`,
      replace: '])',
    },
  ],
  hunt: {
    killedBy: ['machine-added'],
    scenarios: ['uncounted-replica'],
  },
})
