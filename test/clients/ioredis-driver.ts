import type { Cluster, Redis } from 'ioredis'
import type { Client, Driver } from './client.ts'

/** The majors have different types, but the same calls. */
interface Family {
  readonly Redis: new (...options: never[]) => unknown
  readonly Cluster: new (...options: never[]) => unknown
}

const again = { retryStrategy: () => 30 }

/** ioredis and its forks. */
export function ioredisDriver(family: Family): Driver {
  const { Redis: Single, Cluster: Several } = family as { Redis: typeof Redis; Cluster: typeof Cluster }
  const single = (options: object) => asClient(new Single({ ...again, lazyConnect: true, ...options } as never))
  return {
    lostEvent: 'close',
    open: (at, { resp3 = false } = {}) => single({ ...at, ...(resp3 ? { protocol: 3 } : {}) }),
    sentinel: (sentinels, name) => single({ sentinels, name, maxRetriesPerRequest: null }),
    cluster: (nodes) => asClient(new Several([...nodes], { clusterRetryStrategy: () => 30, lazyConnect: true })),
  }
}

function asClient(client: Redis | Cluster): Client {
  client.on('error', () => {})
  return {
    connect: () => client.connect(),
    on: (event, listener) => client.on(event, listener),
    once: (event, listener) => client.once(event, listener),
    set: (key, value) => client.set(key, value),
    get: (key) => client.get(key),
    incr: (key) => client.incr(key),
    fields: (key) => client.hgetall(key),
    setFields: (key, fields) => client.hset(key, fields),
    eval: (script, key) => client.eval(script, 1, key),
    pipeline: (counter, key) => client.pipeline().incr(counter).get(key).incr(counter).exec(),
    transaction: (counter, key) => client.multi().incr(counter).get(key).incr(counter).exec(),
    getWithin(ms, key) {
      ;(client.options as { commandTimeout?: number }).commandTimeout = ms
      return client.get(key)
    },
    close: () => client.disconnect(),
  }
}
