/**
 * The servers and Sentinels of a failover in containers. Each server is behind a proxy of the
 * Toxiproxy whose network the containers share.
 */
import type { ProxiedLink } from '../proxy/proxied-link.ts'
import { ContainedRedis, isReady, serverCommand } from './contained-redis.ts'
import type { ContainerNetwork } from './container-network.ts'
import type { Containers } from './containers.ts'
import type { SentinelSite } from './sentinel-deployment.ts'

/**
 * Writes its arguments into a configuration file, which the Sentinel rewrites, and starts the
 * Sentinel.
 */
const script = 'printf "%s\\n" "$@" > /tmp/sentinel.conf && exec redis-server /tmp/sentinel.conf --sentinel'

export function containedSentinels(containers: Containers, network: ContainerNetwork, image: string): SentinelSite {
  const machines: ContainedRedis[] = []
  const links: ProxiedLink[] = []
  const start = async (port: number, command: readonly string[], prints: string): Promise<ContainedRedis> => {
    const machine = await ContainedRedis.launch(containers, network, image, port, command, prints)
    machines.push(machine)
    return machine
  }
  return {
    bind: '0.0.0.0',
    port: async () => network.port(),
    async linkTo(port) {
      if (network.proxy === null) return null
      const link = await network.proxy.openLink(`onceproof-redis-${port}`, { host: '127.0.0.1', port })
      links.push(link)
      return link
    },
    startServer: (port, options) => start(port, serverCommand(port, options), isReady),
    startSentinel: (port, lines) => start(port, ['sh', '-c', script, 'sentinel', ...lines], '+monitor'),
    async close() {
      await Promise.all(machines.map(({ container }) => containers.remove(container)))
      await Promise.allSettled(links.map((link) => link.close()))
    },
  }
}
