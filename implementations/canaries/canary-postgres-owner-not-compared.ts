import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-owner-not-compared',
  about: 'Does not compare the owner of the record after a lost COMMIT.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction.ts',
      find: 'return ended.record.owner === claimed.owner ? this.#done(sent) : answerOf(claimed, ended.record, soonMs)',
      replace: 'return this.#done(sent)',
    },
  ],
  hunt: { killedBy: ['postgres-restart', 'lost-request'], scenarios: ['postgres-crash'], sink: 'transactional' },
})
