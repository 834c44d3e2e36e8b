/**
 * The reference with several buckets on any deployment. Keys that share a server do not share a
 * generation, so a loss that one bucket has noticed must reach the others.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { guardedAt } from './parts/guarded-at.ts'
import { placeOf } from './parts/options.ts'
import reference from './reference.ts'

/** About one bucket for each key of a run; some buckets have no keys. */
const buckets = 5

export default defineImplementation({
  ...reference,
  id: 'reference-buckets',
  about: 'The reference with five buckets: keys of one server in several generations.',
  ...guardedAt((redis) => ({ ...placeOf(redis), buckets })),
})
