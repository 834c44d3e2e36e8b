import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-reads-unlocked',
  about: 'Reads the record without a lock.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction-sql.ts',
      find: 'FROM ${at.records} WHERE key = $1 FOR SHARE`',
      replace: 'FROM ${at.records} WHERE key = $1`',
    },
  ],
  hunt: {
    killedBy: ['postgres-failover'],
    needs: ['postgres-restart'],
    scenarios: ['postgres-failover'],
    sink: 'transactional',
  },
})
