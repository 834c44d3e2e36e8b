import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-skew-left-out',
  about: 'Ignores the clock skew when it compares produced-at times.',
  breaks: 'Effects that are requests',
  adapter: 'implementations/reference/reference-postgres-outside.ts',
  patches: [
    {
      file: 'src/impl/postgres/acquire.ts',
      find: 'producedAt <= generation.bornMs + maxClockSkewMs',
      replace: 'producedAt <= generation.bornMs + 0 * maxClockSkewMs',
    },
  ],
  hunt: {
    killedBy: ['postgres-failover'],
    scenarios: ['postgres-async-failover'],
  },
})
