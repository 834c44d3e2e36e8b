import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-takes-every-attempt-back',
  about: 'Undoes the count of every attempt that releases its key.',
  breaks: 'A message is given up only after `maxAttempts` that failed',
  adapter: 'implementations/reference/reference-gives-up.ts',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: 'const counts = !(counted && notItsFault.has(reason))',
      replace: 'const counts = !counted',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
