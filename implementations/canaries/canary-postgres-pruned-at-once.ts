import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-pruned-at-once',
  about: 'Lets the record of a finished message expire at once.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction-sql.ts',
      find: "expires_ms = greatest(expires_ms, ${nowMs} + $3::bigint), revision = $2\n  WHERE key = $1 AND owner = $2 AND state = 'acquired'",
      replace:
        "expires_ms = ${nowMs} - $3::bigint + $3::bigint, revision = $2\n  WHERE key = $1 AND owner = $2 AND state = 'acquired'",
    },
  ],
  hunt: { killedBy: [], scenarios: ['only-redeliveries', 'competing-consumers'], sink: 'transactional' },
})
