/** All servers that have a part of the data, whatever the client happens to know. */
import type { Cluster } from 'ioredis'
import { isCluster } from './redis-at.ts'
import type { ServerClient } from './server-client.ts'

const slotCount = 16_384

/**
 * The primaries that are known do not have all slots of the Cluster between them: keys of the
 * others cannot be listed.
 */
export class ClusterIncomplete extends Error {
  override readonly name = 'ClusterIncomplete'

  constructor(readonly missingSlots: number) {
    super(`no primary that answers has ${missingSlots} of the Cluster's ${slotCount} slots: list again later`)
  }
}

/**
 * Asked again each time, for a client learns of slots only by what it sends. Each primary itself
 * says which slots it has: what another node says of it may be old. Throws `ClusterIncomplete`, and
 * where a node does not answer.
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

/** From CLUSTER NODES, of the node that answers; none where it is no primary. */
function ownSlots(nodes: string): number[] {
  const myself =
    nodes
      .split('\n')
      .find((line) => /^\S+ \S+ \S*\bmyself\b/.test(line))
      ?.split(' ') ?? []
  if (!myself[2]?.split(',').includes('master')) return []
  // A slot that is on its way to another node stands in brackets, and among the node's own as well.
  return myself
    .slice(8)
    .filter((range) => !range.startsWith('['))
    .flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, at) => first + at)
    })
}
