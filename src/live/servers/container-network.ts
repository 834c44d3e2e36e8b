/**
 * The network that all containers of a command share, as in docker-compose.yml: the network of the
 * Toxiproxy container, or that of an idle container if the proxies are built in. Each port of the
 * network has the same number on this machine, so `127.0.0.1` with a port is the same server for
 * clients on this machine, for other servers and for Sentinels.
 */

import { freePort } from 'test-servers'
import type { StartedTestContainer } from 'testcontainers'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import { clientPackage, Toxiproxy, usableVersion } from '../proxy/toxiproxy.ts'
import type { Containers, ContainerWish } from './containers.ts'

export interface ContainerNetwork {
  readonly container: StartedTestContainer
  /** The port of the only Redis, in a run without Sentinels. */
  readonly redisPort: number
  readonly postgresPort: number
  /**
   * Returns the next port of the network. A run uses fewer ports than there are, and frees all of
   * them at its end.
   */
  port(): number
  /** The Toxiproxy; null if the network has none. */
  readonly proxy: LinkProxy | null
}

/**
 * The number of ports. A run with Sentinels needs three servers, a proxy for each, three Sentinels,
 * and three listeners for each consumer.
 */
const ports = 24
const apiPort = 8474

/**
 * Opens the network. `image`: the image of Toxiproxy, or an image with a shell for the idle
 * container.
 * @throws LiveProblem
 */
export async function openNetwork(
  containers: Containers,
  { image, option }: Pick<ContainerWish, 'image' | 'option'>,
): Promise<ContainerNetwork> {
  const proxied = option === '--toxiproxy-image'
  if (proxied) await clientPackage()
  const found = (await freePorts(ports + 3)) as [number, number, number, ...number[]]
  const [apiHere, redisPort, postgresPort, ...own] = found
  const container = await containers.start({
    image,
    option,
    command: proxied ? ['-host=0.0.0.0'] : ['sh', '-c', 'echo the network is there; exec sleep 2147483'],
    ports: [
      ...(proxied ? [{ inside: apiPort, here: apiHere }] : []),
      ...[redisPort, postgresPort, ...own].map((port) => ({ inside: port, here: port })),
    ],
    until: proxied ? { answers: '/version' } : { prints: 'the network is there' },
  })
  let next = 0
  const port = () => own[next++ % own.length]!
  const url = `http://127.0.0.1:${apiHere}`
  const toxiproxy = async () => {
    const about = `Toxiproxy ${await usableVersion(url, `image ${image}`)} (${image}) in a container`
    return new Toxiproxy(url, { about, listen: () => `0.0.0.0:${port()}` })
  }
  return { container, redisPort, postgresPort, port, proxy: proxied ? await toxiproxy() : null }
}

async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>()
  while (found.size < count) found.add(await freePort())
  return [...found]
}
