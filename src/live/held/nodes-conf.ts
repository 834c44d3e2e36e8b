/**
 * The configuration files of Cluster nodes for their first start: each node knows the others and
 * the slots that they serve.
 */
import { firstSlotOf } from '../../run/cluster-nodes.ts'
import type { BusLink } from './bus-link.ts'
import type { HeldLink } from './held-link.ts'

/** A node with its addresses. */
export interface ClusterPlace {
  readonly name: string
  readonly id: string
  readonly shard: number
  /** True if the node starts as the primary of its shard. */
  readonly leads: boolean
  readonly port: number
  readonly busPort: number
  /** The link through which the other nodes reach this one. */
  readonly link: HeldLink
  readonly bus: BusLink
}

/** The configuration lines for the addresses of a node. */
export function placeConfig({ link, busPort, bus }: Pick<ClusterPlace, 'link' | 'busPort' | 'bus'>): string[] {
  const { port } = link.address
  return [
    ...['save ""', 'appendonly no', 'repl-diskless-sync yes', 'repl-diskless-sync-delay 0'],
    ...['replica-announce-ip 127.0.0.1', `replica-announce-port ${port}`],
    ...['cluster-enabled yes', 'cluster-config-file nodes.conf', `cluster-port ${busPort}`],
    ...['cluster-announce-ip 127.0.0.1', `cluster-announce-port ${port}`, `cluster-announce-bus-port ${bus.port}`],
  ]
}

export function nodesConf(own: ClusterPlace, places: readonly ClusterPlace[], shards: number): string {
  const first = (shard: number): number => firstSlotOf(shard, shards)
  const lines = places.map(({ id, shard, leads, link, bus }) => {
    const flags = `${id === own.id ? 'myself,' : ''}${leads ? 'master' : 'slave'}`
    const primary = leads ? '-' : places.find((one) => one.shard === shard)!.id
    const served = leads ? ` ${first(shard)}-${first(shard + 1) - 1}` : ''
    const address = `127.0.0.1:${link.address.port}@${bus.port}`
    return `${id} ${address} ${flags} ${primary} 0 0 ${leads ? shard + 1 : 0} connected${served}`
  })
  return `${lines.join('\n')}\nvars currentEpoch ${shards} lastVoteEpoch 0\n`
}
