import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-refuses-what-is-done',
  about: 'Answers refused although the record is done by now.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction.ts',
      find: 'if (answer.rows.length > 0) {',
      replace: 'if (answer.answered) {',
    },
  ],
  hunt: { killedBy: ['effect-fails-before'], scenarios: ['refused-rows'], sink: 'transactional' },
})
