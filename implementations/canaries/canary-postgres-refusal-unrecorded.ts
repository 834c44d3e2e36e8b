import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-refusal-unrecorded',
  about: 'Answers refused without recording it.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction.ts',
      find: 'return this.#refused(claimed, error)',
      replace: "return { status: 'refused', error: 'refused', repeated: false }",
    },
  ],
  hunt: { killedBy: ['effect-fails-before'], scenarios: ['refused-rows'], sink: 'transactional' },
})
