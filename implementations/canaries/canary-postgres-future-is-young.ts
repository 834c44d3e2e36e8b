import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-future-is-young',
  about: 'Treats a produced-at time in the future as now.',
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
