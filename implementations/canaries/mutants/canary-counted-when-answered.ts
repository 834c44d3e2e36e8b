import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-counted-when-answered',
  about: "Undoes an attempt's count only if Redis confirmed it.",
  breaks: 'A message is given up only after `maxAttempts` that failed',
  adapter: 'implementations/reference/reference-gives-up.ts',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: `      counted = true // or it may come to be
      const count = await layer.records.count(hold)
`,
      replace: `      const count = await layer.records.count(hold)
      counted = count.status === 'counted'
`,
    },
  ],
  hunt: {
    killedBy: ['slow-redis'],
    scenarios: ['asked-again'],
  },
})
