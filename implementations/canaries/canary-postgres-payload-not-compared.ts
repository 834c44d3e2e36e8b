import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-payload-not-compared',
  about: 'Answers from the record without comparing the payload.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction.ts',
      find: 'if (record.fingerprint !== claimed.fingerprint) return conflictOf(claimed, record)',
      replace: '',
    },
  ],
  hunt: { killedBy: [], scenarios: ['key-reuse'], sink: 'transactional' },
})
