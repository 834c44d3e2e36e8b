import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-holder-never-ended',
  about: 'Never ends the session of a holder whose client is gone.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction-sql.ts',
      find: 'SET LOCAL idle_in_transaction_session_timeout = ${leaseMs}',
      replace: 'SET LOCAL idle_in_transaction_session_timeout = ${0 * leaseMs}',
    },
  ],
  hunt: { killedBy: ['half-open'], scenarios: ['half-open-connections'], sink: 'transactional' },
})
