import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-future-without-skew',
  about: 'Treats every produced-at time after now as in the future, without the clock skew.',
  breaks: 'Effects that are requests',
  adapter: 'implementations/reference/reference-postgres-outside.ts',
  patches: [
    {
      file: 'src/impl/postgres/acquire.ts',
      find: 'producedAt > nowMs + maxClockSkewMs)',
      replace: 'producedAt > nowMs + 0 * maxClockSkewMs)',
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['postgres-late-copies'],
  },
})
