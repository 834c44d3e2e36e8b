import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-result-not-stored',
  about: 'Records that the effect is done, but not its result.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction-sql.ts',
      find: "SET state = 'completed', result = $4, unkept",
      replace: "SET state = 'completed', result = left($4, 0) || 'null', unkept",
    },
  ],
  hunt: { killedBy: [], scenarios: ['competing-consumers'], sink: 'transactional' },
})
