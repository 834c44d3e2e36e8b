/** A marker that is set before the effect and never removed, for every client with two commands. */
import { defineImplementation, type Implementation, type RedisAddress } from 'onceproof'

/** The common interface of the three major versions of node-redis. */
export interface MarkerClient {
  set(key: string, value: string, options: { NX?: true; PX: number }): Promise<string | null>
  get(key: string): Promise<string | null>
  close(): void
}

const begun = 'begun '
const done = 'done '

export function markerLayer(id: string, connect: (redis: RedisAddress) => Promise<MarkerClient>): Implementation {
  return defineImplementation({
    id,
    about:
      'A marker: SET NX before the effect, the receipt after it. A marker that stays without a receipt is dead-lettered.',
    sinks: ['plain'],
    shapes: ['single'],
    recoveryBoundMs: 120_000,
    async create({ redis, leaseMs, retentionMs, sink }) {
      const client = await connect(redis)
      const options = { PX: retentionMs }
      return {
        async handle({ key, payload }) {
          const marker = `marker:${key}`
          const isNew = await client.set(marker, begun + Date.now(), { NX: true, ...options })
          if (isNew === null) {
            const found = await client.get(marker)
            if (found?.startsWith(done)) return { status: 'done', result: JSON.parse(found.slice(done.length)) }
            const sinceMs = Date.now() - Number(found?.slice(begun.length))
            return sinceMs > leaseMs ? { status: 'dead-letter', reason: 'in-doubt' } : { status: 'retry' }
          }
          try {
            const receipt = await sink.perform({ key, payload })
            await client.set(marker, done + JSON.stringify(receipt ?? null), options)
            return { status: 'done', result: receipt }
          } catch (error) {
            if ((error as Error).name === 'SinkRefusal') return { status: 'refused', error: (error as Error).message }
            throw error
          }
        },
        close: () => client.close(),
      }
    },
  })
}
