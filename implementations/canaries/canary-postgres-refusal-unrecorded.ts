import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-refusal-unrecorded',
  about: 'A refusal rolls everything back, so there is nothing to put on record.',
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
