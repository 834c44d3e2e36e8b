/**
 * The reference with several buckets on whatever it runs on. Keys that share a server do not share a generation, so that a
 * loss that one bucket has noticed must be told to the others.
 */
import { defineImplementation, type RedisAddress } from '../../src/contract/implementation.ts'
import { isSinkRefusal } from '../../src/contract/sink.ts'
import { adopt, createOnce } from '../../src/impl/once.ts'
import { guarding } from './parts/guarding.ts'
import { optionsOf, placeOf } from './parts/options.ts'
import reference from './reference.ts'

/** About one for each key of a run, and some that no key is in. */
const buckets = 5

const spreadOf = (redis: RedisAddress) => ({ ...placeOf(redis), buckets })

export default defineImplementation({
  ...reference,
  id: 'reference-buckets',
  about: 'The reference with five buckets: keys of one server in several generations.',
  async deploy({ redis }) {
    const adopted = await adopt({ ...spreadOf(redis), since: 0 })
    if (adopted.status !== 'adopted') throw new Error(`not adopted: ${adopted.status}`)
  },
  create(context) {
    const { sink, redis } = context
    const once = createOnce({ ...optionsOf(context), ...spreadOf(redis), isRefusal: isSinkRefusal })
    return guarding(once, sink)
  },
})
