/** The reference over connections of node-redis, in place of ioredis: on one server, and behind Sentinels. */
import { createClient } from 'redis'
import { defineImplementation, type RedisAddress } from '../../src/contract/implementation.ts'
import { isSinkRefusal } from '../../src/contract/sink.ts'
import { adopt, createOnce, type RedisAt } from '../../src/impl/once.ts'
import { guarding } from './parts/guarding.ts'
import { optionsOf, placeOf } from './parts/options.ts'
import reference from './reference.ts'

interface Sentinels {
  readonly sentinels: readonly { readonly host: string; readonly port: number }[]
  readonly name: string
}

const onNodeRedis = (redis: RedisAddress): { redis: RedisAt; buckets: number } => {
  const { options, url } = redis
  const at =
    'sentinels' in options ? { ...(options as unknown as Sentinels), client: createClient() } : createClient({ url })
  return { ...placeOf(redis), redis: at }
}

export default defineImplementation({
  ...reference,
  id: 'reference-node-redis',
  about: 'The reference over connections of node-redis.',
  shapes: ['single', 'sentinel'],
  async deploy({ redis }) {
    const adopted = await adopt({ ...onNodeRedis(redis), since: 0 })
    if (adopted.status !== 'adopted') throw new Error(`not adopted: ${adopted.status}`)
  },
  create(context) {
    const { sink, redis } = context
    const once = createOnce({ ...optionsOf(context), ...onNodeRedis(redis), isRefusal: isSinkRefusal })
    return guarding(once, sink)
  },
})
