/** Finds all servers that have a part of the data, not only those that the client knows. */
import type { Cluster } from 'ioredis'
import { isCluster } from './redis-at.ts'
import type { ServerClient } from './server-client.ts'

const slotCount = 16_384

/**
 * The known primaries do not have all slots of the Cluster, so keys in the other slots cannot be
 * listed.
 * @example
 * ```ts
 * import { ClusterIncomplete, type Once } from 'onceproof/once'
 *
 * async function list(once: Once): Promise<void> {
 *   try {
 *     for await (const { key } of once.doubts()) console.log(key)
 *   } catch (error) {
 *     if (error instanceof ClusterIncomplete)
 *       console.error(`${error.missingSlots} slots are missing`)
 *     else throw error
 *   }
 * }
 * ```
 */
export class ClusterIncomplete extends Error {
  override readonly name = 'ClusterIncomplete'

  constructor(readonly missingSlots: number) {
    super(`no primary that answers has ${missingSlots} of the Cluster's ${slotCount} slots: list again later`)
  }
}

/**
 * Refreshes the slots each time, because a client learns of them only from its own commands. Each
 * primary reports its own slots: another node's view may be old. Throws `ClusterIncomplete`, and
 * throws if a node does not answer.
 */
export async function allPrimaries(client: ServerClient | Cluster): Promise<readonly ServerClient[]> {
  if (!isCluster(client)) return [client]
  await new Promise<void>((resolve, reject) => client.refreshSlotsCache((error) => (error ? reject(error) : resolve())))
  const primaries = client.nodes('master')
  const served = new Set<number>()
  for (const nodes of await Promise.all(primaries.map((node) => node.cluster('NODES'))))
    for (const slot of ownSlots(String(nodes))) served.add(slot)
  if (served.size < slotCount) throw new ClusterIncomplete(slotCount - served.size)
  return primaries
}

/** Returns the slots of the node that answered CLUSTER NODES; empty if it is a replica. */
function ownSlots(nodes: string): number[] {
  const myself =
    nodes
      .split('\n')
      .find((line) => /^\S+ \S+ \S*\bmyself\b/.test(line))
      ?.split(' ') ?? []
  if (!myself[2]?.split(',').includes('master')) return []
  // A moving slot is listed in brackets, and also among the node's own slots.
  return myself
    .slice(8)
    .filter((range) => !range.startsWith('['))
    .flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, at) => first + at)
    })
}
