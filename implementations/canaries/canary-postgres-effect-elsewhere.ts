import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-effect-elsewhere',
  about: 'Writes the effect on another connection than the transaction.',
  breaks: 'Effects that are rows',
  adapter: 'implementations/reference/reference-postgres.ts',
  patches: [
    {
      file: 'implementations/reference/reference-postgres.ts',
      find: 'await tx.query(text, values)',
      replace: 'await pool.query(text, values)',
    },
  ],
  hunt: {
    killedBy: ['crash', 'postgres-restart', 'lost-reply', 'lost-request', 'connection-reset', 'partition'],
    scenarios: ['postgres-crash'],
    sink: 'transactional',
  },
})
