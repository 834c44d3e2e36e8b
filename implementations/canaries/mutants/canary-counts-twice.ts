import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-counts-twice',
  about: 'Counts an attempt at its begin and at its end.',
  breaks: 'A message is given up only after `maxAttempts` that failed',
  adapter: 'implementations/reference/reference-gives-up.ts',
  patches: [
    {
      file: 'lua/count.lua',
      find: `before + 1, 'counted'`,
      replace: `before + 2, 'counted'`,
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
