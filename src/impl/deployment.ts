/** Finds the primaries of a Redis, and the layers that have used them, for operators. */
import { Connection } from './connection.ts'
import { generationParts, generationPattern } from './identity.ts'
import { primaryEpochOf } from './primary-epoch.ts'
import type { RedisAt } from './redis-at.ts'

export interface Deployment {
  readonly primaries: readonly { readonly policy: string; readonly attachedReplicas: number }[]
  readonly layers: readonly DeployedLayer[]
}

/** A layer that was adopted or used. */
export interface DeployedLayer {
  /** Key prefix and namespace. */
  readonly prefix: string
  readonly buckets: number
  /** One for each bucket that was adopted or used. */
  readonly generations: number
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
      for (const name of page) if (generationParts(name) !== null) names.add(name)
    const births = await connection.field('born', [...names])
    const layers = new Map<string, DeployedLayer>()
    for (const [at, name] of [...names].entries()) {
      const { prefix, buckets } = generationParts(name)!
      const { generations, bornMs } = layers.get(`${prefix}/${buckets}`) ?? { generations: 0, bornMs: 0 }
      const later = Math.max(bornMs, Number(births[at]))
      layers.set(`${prefix}/${buckets}`, { prefix, buckets, generations: generations + 1, bornMs: later })
    }
    return { primaries, layers: [...layers.values()] }
  } finally {
    connection.close()
  }
}
