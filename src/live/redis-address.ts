/** Where a consumer reaches Redis: through the links of its own, as ioredis wants to be told. */
import type { CreateOrder } from './protocol.ts'
import type { ServerMachine } from './servers/live-server.ts'
import { primaryName, type SentinelDeployment } from './servers/sentinel-deployment.ts'

/** `ports`: of the links, in the order of the deployment's servers. `keyPrefix`: on a server of somebody's. */
export function redisAddress(
  access: ServerMachine['access'],
  keyPrefix: string | null,
  ports: readonly number[],
  sentinels: SentinelDeployment | null,
): Pick<CreateOrder, 'redis' | 'redisPorts' | 'keyPrefix'> {
  const links = ports.map((port) => ({ host: '127.0.0.1', port }))
  const first = links[0]!
  const url = `redis://${first.host}:${first.port}`
  const options = { ...first, ...access, ...(keyPrefix === null ? {} : { keyPrefix }) }
  if (sentinels === null) return { redis: { options, url, nodes: [first] }, redisPorts: ports, keyPrefix }
  const natMap = Object.fromEntries(
    sentinels.nodes.map(({ announced: { host, port } }, at) => [`${host}:${port}`, links[at]!]),
  )
  const watched = { ...options, sentinels: sentinels.sentinels, name: primaryName, natMap }
  return { redis: { options: watched, url, nodes: [first], replicas: links.length - 1 }, redisPorts: ports, keyPrefix }
}
