import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-refusal-overwrites',
  about: 'Overwrites the existing record by a refusal.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'src/impl/postgres/transaction-sql.ts',
      find: 'ON CONFLICT (key) DO NOTHING RETURNING key`',
      replace:
        "ON CONFLICT (key) DO UPDATE SET state = 'refused', owner = EXCLUDED.owner, error = EXCLUDED.error RETURNING key`",
    },
  ],
  hunt: { killedBy: ['effect-fails-before'], scenarios: ['refused-rows'], sink: 'transactional' },
})
