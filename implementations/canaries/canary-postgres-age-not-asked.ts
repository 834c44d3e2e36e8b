import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-age-not-asked',
  about: 'Does not check the age of a message without a row.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction.ts',
      find: 'nowMs - producedAt >= retentionMs,',
      replace: 'nowMs - producedAt >= Number.POSITIVE_INFINITY * retentionMs,',
    },
  ],
  hunt: {
    killedBy: ['late-copy', 'lost-acknowledgement', 'redelivery'],
    scenarios: ['postgres-late-copies'],
    sink: 'transactional',
  },
})
