/** What is deployed at a Redis, for operators: its primaries, and the generations of records. */
import { Connection } from './connection.ts'
import { bucketsIn, generationPattern } from './identity.ts'
import { primaryEpochOf } from './primary-epoch.ts'
import type { RedisAt } from './redis-at.ts'

export interface Deployment {
  readonly primaries: readonly { readonly policy: string; readonly attachedReplicas: number }[]
  /**
   * How many generations there are by their number of buckets: one for each bucket that was adopted
   * or used. Empty if no layer was ever used here.
   */
  readonly generations: ReadonlyMap<number, number>
  /** The latest birth of a generation, in milliseconds since the Unix epoch. */
  readonly bornMs: number
}

/** Rejects if a primary does not answer. Scans all names of keys, and writes nothing. */
export async function deploymentAt(redis: RedisAt): Promise<Deployment> {
  const connection = new Connection(redis, { commandMs: 2000, callTimeoutMs: 4000, ttlMs: 4000 })
  try {
    const primaries = []
    for (const node of await connection.primaries()) {
      const [memory, replication] = [await node.info('memory'), await node.info('replication')]
      const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'unknown'
      primaries.push({ policy, attachedReplicas: primaryEpochOf(replication).attached })
    }
    const names = new Set<string>()
    for await (const page of connection.scan(generationPattern))
      for (const name of page) if (bucketsIn(name) !== null) names.add(name)
    const generations = new Map<number, number>()
    for (const name of names) {
      const buckets = bucketsIn(name)!
      generations.set(buckets, (generations.get(buckets) ?? 0) + 1)
    }
    const births = await connection.field('born', [...names])
    return { primaries, generations, bornMs: Math.max(0, ...births.map(Number)) }
  } finally {
    connection.close()
  }
}
