import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-no-heartbeat',
  about: 'Sends no heartbeat while a transaction is open.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction.ts',
      find: 'const stop = this.#keep(session.client, key, fence)',
      replace: 'const stop = () => {}',
    },
  ],
  hunt: { killedBy: [], scenarios: ['key-reuse', 'competing-consumers'], sink: 'transactional' },
})
