import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-refusal-unanswered',
  about: 'Answers refused although the database has not confirmed the refusal.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction.ts',
      find: 'if (!answer.answered) return retry(unreachable, soonMs, answer.error)',
      replace: "if (!answer.answered) return { status: 'refused', error, repeated: false }",
    },
  ],
  hunt: { killedBy: ['effect-fails-before'], scenarios: ['refused-rows'], sink: 'transactional' },
})
