import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-takes-over-unseen',
  about: 'Takes over the key without comparing the row again.',
  breaks: 'Effects that are requests',
  adapter: 'implementations/reference/reference-postgres-outside.ts',
  patches: [
    {
      file: 'src/impl/postgres/transitions.ts',
      find: 'WHERE key = $1 AND ${at.records}.revision = $10 AND',
      replace: 'WHERE key = $1 AND $10::text IS NOT NULL AND',
    },
  ],
  hunt: { killedBy: ['pause'], scenarios: ['only-pauses'] },
})
