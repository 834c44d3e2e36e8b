import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-future-is-young',
  about: 'A produced-at time that is yet to come is as good as one of now.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction.ts',
      find: 'producedAt > nowMs + maxClockSkewMs]',
      replace: 'producedAt > Number.POSITIVE_INFINITY + maxClockSkewMs]',
    },
  ],
  hunt: {
    killedBy: ['late-copy', 'lost-acknowledgement'],
    scenarios: ['postgres-late-copies'],
    sink: 'transactional',
  },
})
