import { Redis } from 'ioredis'
import type { RedisAddress } from '../../../src/contract/api/implementation.ts'

/** ioredis on its defaults, but that it gives up a connection on which nothing comes back: no reset may ever tell of it. */
export function openClient({ options }: RedisAddress): Redis {
  const client = new Redis({ ...options, socketTimeout: 5000 })
  client.on('error', () => {})
  return client
}
