import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-counts-what-is-asked-again',
  about: 'Counts a retried command as another attempt.',
  breaks: 'A message is given up only after `maxAttempts` that failed',
  adapter: 'implementations/reference/reference-gives-up.ts',
  patches: [
    {
      file: 'lua/count.lua',
      find: "if counted == fence then return {'counted', before} end\n",
      replace: '',
    },
  ],
  hunt: {
    killedBy: ['lost-reply'],
    scenarios: ['asked-again'],
  },
})
