import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-owner-not-compared',
  about: 'What is on record after a lost COMMIT is what was sent.',
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
