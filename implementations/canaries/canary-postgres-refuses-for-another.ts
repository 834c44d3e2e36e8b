import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-refuses-for-another',
  about: 'Records a refusal even if another attempt holds the key by now.',
  breaks: 'Effects that are requests',
  adapter: 'implementations/reference/reference-postgres-outside.ts',
  patches: [
    {
      file: 'src/impl/postgres/transitions.ts',
      find: "FROM durable WHERE key = $1 AND owner = $2 AND fence = $3::bigint AND state = 'begun' RETURNING error",
      replace:
        "FROM durable WHERE key = $1 AND $2::text IS NOT NULL AND $3::bigint IS NOT NULL AND state = 'begun' RETURNING error",
    },
  ],
  hunt: {
    killedBy: ['effect-fails-before', 'pause'],
    scenarios: ['late-refusal'],
    sink: 'fenced',
  },
})
