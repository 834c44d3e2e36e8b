/** The machines of a Redis deployment as its operator set them up: addresses and configurations. */

import type { RedisConfig } from 'redis-sim'
import type { NodesFile } from 'redis-sim/cluster'
import type { SentinelConfig } from 'redis-sim/sentinel'
import type { RedisAddress } from '../../contract/api/implementation.ts'
import type { RedisPlan } from '../../contract/api/plan.ts'
import { independentName } from '../../run/independent-servers.ts'
import { clusterServers } from './cluster-layout.ts'
import type { MachineAddress } from './server-machine.ts'

/** The name under which Sentinels watch the deployment. */
const watchedAs = 'orders'
const redisPort = 6379
const sentinelPort = 26_379

export interface PlacedServer {
  readonly address: MachineAddress
  readonly shard: number
  /** The first server of each shard begins as its primary. */
  readonly leads: boolean
  /** True if the server has not been started yet, and no other machine knows it. */
  readonly isSpare: boolean
  readonly config: Partial<RedisConfig>
  /** The node's `nodes.conf`; only in a Cluster. */
  readonly nodes?: NodesFile
}

export interface PlacedSentinel {
  readonly address: MachineAddress
  readonly config: SentinelConfig
}

/**
 * Returns the servers shard by shard. A primary with replicas is one shard; each independent
 * server is also a shard.
 */
export function placedServers(plan: RedisPlan | undefined): PlacedServer[] {
  if (plan === undefined) return [{ address: addressOf('redis', 1), shard: 0, leads: true, config: {}, isSpare: false }]
  if (plan.independent !== undefined) return independentServers(plan, plan.independent)
  if (plan.shards === undefined) return replicatedServers(plan)
  const config = { clusterEnabled: true, clusterNodeTimeout: plan.downAfterMs, ...configOf(plan) }
  const servers = clusterServers(plan, plan.shards, redisPort)
  return servers.map((server, at) => {
    return { ...server, leads: servers[at - 1]?.shard !== server.shard, config, isSpare: false }
  })
}

function independentServers(plan: RedisPlan, servers: number): PlacedServer[] {
  return Array.from({ length: servers }, (_, at) => {
    const address = addressOf(independentName(at + 1), at + 1)
    return { address, shard: at, leads: true, config: configOf(plan), isSpare: false }
  })
}

/** One primary, its replicas, and the spares. */
function replicatedServers(plan: RedisPlan): PlacedServer[] {
  const { replicas, neverPromoted = 0, spares = 0 } = plan
  const addresses = Array.from({ length: 1 + replicas + spares }, (_, at) => addressOf(`redis-${at + 1}`, at + 1))
  const { host, port } = addresses[0]!
  return addresses.map((address, at) => {
    const isSpare = at > replicas
    // A spare gets its primary when it is started.
    const replicaof = at === 0 || isSpare ? '' : `${host} ${port}`
    const isReserve = at > replicas - neverPromoted
    const priority = isReserve ? { replicaPriority: 0 } : {}
    const config = { replicaof, ...priority, ...configOf(plan) }
    return { address, shard: 0, leads: at === 0, config, isSpare }
  })
}

function addressOf(name: string, lastByte: number): MachineAddress {
  return { name, host: `10.0.0.${lastByte}`, port: redisPort }
}

function configOf(plan: RedisPlan): Partial<RedisConfig> {
  return {
    replDisklessSyncDelay: 0,
    fullSyncUs: plan.fullSyncMs * 1000,
    loadingUs: plan.loadingMs * 1000,
    minReplicasToWrite: plan.minReplicasToWrite ?? 0,
    save: plan.keeps === 'snapshot' ? '1 1' : '',
    appendonly: plan.keeps.startsWith('aof'),
    appendfsync: plan.keeps === 'aof-always' ? 'always' : 'everysec',
  }
}

/** Each Sentinel knows all other Sentinels, and all servers except the spares, from the start. */
export function placedSentinels(plan: RedisPlan | undefined, servers: readonly PlacedServer[]): PlacedSentinel[] {
  if (plan === undefined) return []
  const addresses = Array.from({ length: plan.sentinels }, (_, at): MachineAddress => {
    return { name: `sentinel-${at + 1}`, host: `10.0.0.${101 + at}`, port: sentinelPort }
  })
  const counted = servers.filter(({ isSpare }) => !isSpare)
  const [primary, ...replicas] = counted.map(({ address: { host, port } }) => ({ host, port }))
  const idOf = (at: number) => String(at + 1).repeat(40)
  return addresses.map((address, at) => {
    const monitor = {
      name: watchedAs,
      host: primary!.host,
      port: primary!.port,
      quorum: Math.floor(plan.sentinels / 2) + 1,
      downAfterMs: plan.downAfterMs,
      failoverTimeoutMs: plan.failoverTimeoutMs,
      knownReplicas: replicas,
      knownSentinels: addresses.flatMap(({ host, port }, other) =>
        other === at ? [] : [{ host, port, runId: idOf(other) }],
      ),
    }
    return { address, config: { myId: idOf(at), monitors: [monitor] } }
  })
}

/** The deployment as its clients know it. */
export function redisAddressOf(
  plan: RedisPlan | undefined,
  servers: readonly PlacedServer[],
  sentinels: readonly PlacedSentinel[],
): RedisAddress {
  const { name, host, port } = servers[0]!.address
  const first = { host: plan === undefined ? name : host, port }
  const url = `redis://${first.host}:${port}`
  const replicas = plan?.replicas ?? 0
  const counts = { replicas, ...(plan?.waitFor === undefined ? {} : { waitFor: plan.waitFor }) }
  const hostAndPort = ({ address }: PlacedServer | PlacedSentinel) => ({ host: address.host, port: address.port })
  if (plan?.shards !== undefined || plan?.independent !== undefined)
    return { options: first, url, nodes: servers.filter(({ leads }) => leads).map(hostAndPort), ...counts }
  if (sentinels.length === 0) return { options: first, url, nodes: [first], ...counts }
  return { options: { sentinels: sentinels.map(hostAndPort), name: watchedAs }, url, nodes: [first], ...counts }
}
