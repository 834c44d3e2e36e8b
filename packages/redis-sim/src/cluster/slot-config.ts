import type { Cluster } from './cluster.ts'
import type { ClusterNode } from './cluster-node.ts'
import { keySlot } from './key-slot.ts'
import { slotsIn } from './slot-map.ts'

/**
 * Processes the slots that a primary claims. The claim with the higher epoch wins. A node that
 * loses its last slot becomes a replica of the new owner. Source: clusterUpdateSlotsConfigWith of
 * Redis 7.0.
 */
export function bindSlots(cluster: Cluster, sender: ClusterNode, epoch: number, claimed: string): void {
  const { myself, slots } = cluster
  if (sender === myself) return
  const mine = myself.isPrimary ? myself : myself.primary
  let takenOfMine = 0
  let claims = 0
  const lost = new Set<number>()
  for (const slot of slotsIn(claimed)) {
    claims++
    const owner = slots.owner(slot)
    if (owner === sender || (owner !== null && owner.configEpoch >= epoch)) continue
    if (owner === myself) lost.add(slot)
    if (owner !== null && owner === mine) takenOfMine++
    slots.give(slot, sender)
    cluster.stateIsOld = true
  }
  const grandprimary = myself.primary?.primary
  const migrates = cluster.server.config.clusterAllowReplicaMigration || claims === takenOfMine
  if (takenOfMine > 0 && mine!.slotCount === 0 && migrates) cluster.follow(sender)
  else if (grandprimary && grandprimary !== myself) cluster.follow(grandprimary)
  else if (lost.size > 0) dropKeys(cluster, lost)
}

/** Deletes the keys of lost slots on a node that remains a primary. */
function dropKeys({ server }: Cluster, lost: ReadonlySet<number>): void {
  for (const database of server.keyspace.used()) {
    for (const key of [...database.entries.keys()].filter((key) => lost.has(keySlot(key)))) {
      database.remove(key)
      if (server.propagation.active) server.propagation.also(database.index, ['DEL', key])
    }
  }
  server.propagation.flush(false)
}
