/**
 * The address by which a consumer reaches Redis through its links, in the form that ioredis takes.
 */
import type { CreateOrder } from '../host/protocol.ts'
import type { Address } from '../proxy/link-proxy.ts'
import type { LiveServer, ServerMachine } from '../servers/live-server.ts'
import { primaryName } from '../servers/sentinel-deployment.ts'

/** Several servers and their Sentinels, as clients know them. */
export interface Watched {
  readonly nodes: readonly { readonly announced: Address }[]
  readonly sentinels: Address[]
  /**
   * The addresses that Sentinels announce, with those on which they listen. Absent if both are
   * equal.
   */
  readonly announcedSentinels?: readonly { readonly announced: Address; readonly machine: Address }[]
  /**
   * For a Cluster: the ports at which servers announce themselves and each other to clients, in
   * order; otherwise null.
   */
  readonly reported?: readonly number[] | null
  /** The announced ports to which clients connect first. */
  readonly firstPorts?: readonly number[]
  /**
   * Set if the servers do not know each other. Clients then connect to all of them, and each has
   * its own keys.
   */
  readonly independent?: readonly LiveServer[]
  /** The number of replicas for which layers should wait. Absent: all of them. */
  readonly waitFor?: number | undefined
}

/**
 * The address for a consumer. `ports`: the ports of its links, in the order of the deployment's
 * servers. `keyPrefix`: set on a user's server.
 */
export function redisAddress(
  access: ServerMachine['access'],
  keyPrefix: string | null,
  ports: readonly number[],
  sentinels: Watched | null,
): Pick<CreateOrder, 'redis' | 'redisPorts' | 'portsReported' | 'keyPrefix'> {
  const links = ports.map((port) => ({ host: '127.0.0.1', port }))
  const first = links[0]!
  const url = `redis://${first.host}:${first.port}`
  const options = { ...first, ...access, ...(keyPrefix === null ? {} : { keyPrefix }) }
  if (sentinels === null || sentinels.independent !== undefined) {
    const nodes = sentinels === null ? [first] : links
    return { redis: { options, url, nodes }, redisPorts: ports, portsReported: [], keyPrefix }
  }
  const { reported = null, waitFor } = sentinels
  if (reported !== null) {
    const nodes = sentinels.firstPorts!.map((port) => ({ host: first.host, port }))
    const [start] = nodes
    const counts = { replicas: reported.length / nodes.length - 1, ...(waitFor === undefined ? {} : { waitFor }) }
    const redis = { options: { ...start!, ...access }, url: `redis://${start!.host}:${start!.port}`, nodes, ...counts }
    return { redis, redisPorts: ports, keyPrefix, portsReported: reported.map((port, at) => [port, ports[at]!]) }
  }
  const nameOf = ({ host, port }: Address): string => `${host}:${port}`
  const natMap = Object.fromEntries([
    ...sentinels.nodes.map(({ announced }, at) => [nameOf(announced), links[at]!] as const),
    ...(sentinels.announcedSentinels ?? []).map(
      ({ announced, machine: { host, port } }) => [nameOf(announced), { host, port }] as const,
    ),
  ])
  const watched = { ...options, sentinels: sentinels.sentinels, name: primaryName, natMap }
  const counts = { replicas: links.length - 1, ...(waitFor === undefined ? {} : { waitFor }) }
  return {
    redis: { options: watched, url, nodes: [first], ...counts },
    redisPorts: ports,
    portsReported: [],
    keyPrefix,
  }
}
