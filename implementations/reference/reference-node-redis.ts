/** The reference with node-redis instead of ioredis: on one server, and behind Sentinels. */
import { createClient } from 'redis'
import { defineImplementation, type RedisAddress } from '../../src/contract/api/implementation.ts'
import type { RedisAt } from '../../src/impl/once.ts'
import { guardedAt } from './parts/guarded-at.ts'
import { placeOf } from './parts/options.ts'
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
  ...guardedAt(onNodeRedis),
})
