import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-commit-believed',
  about: 'Assumes that a COMMIT without a reply was committed.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction.ts',
      find: 'const ended = await this.#settle(claimed)',
      replace: 'return this.#done(sent)\n      const ended = await this.#settle(claimed)',
    },
  ],
  hunt: { killedBy: ['postgres-restart', 'lost-request'], scenarios: ['postgres-crash'], sink: 'transactional' },
})
