import { defineMutant } from '../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-postgres-too-old-to-begin',
  about: 'Checks the age of a message only when it takes the key, not at begin.',
  breaks: 'Effects that are requests',
  adapter: 'implementations/reference/reference-postgres-outside.ts',
  patches: [
    {
      file: 'src/impl/postgres/transitions.ts',
      find: 'AND ($10::boolean OR permit OR ${nowMs} - $8::bigint < $9::bigint)',
      replace: 'AND ($10::boolean OR permit OR ${nowMs} - $8::bigint < 1000 * $9::bigint)',
    },
  ],
  hunt: {
    killedBy: ['crash', 'pause'],
    scenarios: ['too-old-meanwhile'],
    sink: 'keyed',
  },
})
