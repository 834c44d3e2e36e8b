/**
 * The reference with several buckets on whatever it runs on. Keys that share a server do not share a generation, so that a
 * loss that one bucket has noticed must be told to the others.
 */
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { guardedAt } from './parts/guarded-at.ts'
import { placeOf } from './parts/options.ts'
import reference from './reference.ts'

/** About one for each key of a run, and some that no key is in. */
const buckets = 5

export default defineImplementation({
  ...reference,
  id: 'reference-buckets',
  about: 'The reference with five buckets: keys of one server in several generations.',
  ...guardedAt((redis) => ({ ...placeOf(redis), buckets })),
})
