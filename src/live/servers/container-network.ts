/**
 * The network that all containers of a command share, as in docker-compose.yml: that of the
 * container with Toxiproxy, or of an idle one where the proxies are the built-in ones. Every port
 * of it is the same number on this machine, so that `127.0.0.1` and a port are one server for
 * clients here, for the other servers and for the Sentinels.
 */

import { freePort } from 'test-servers'
import type { StartedTestContainer } from 'testcontainers'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import { clientPackage, Toxiproxy, usableVersion } from '../proxy/toxiproxy.ts'
import type { Containers, ContainerWish } from './containers.ts'

export interface ContainerNetwork {
  readonly container: StartedTestContainer
  /** Of the only Redis, in a run without Sentinels. */
  readonly redisPort: number
  readonly postgresPort: number
  /**
   * The next port of it. A run takes fewer than there are, and gives all of them back at its end.
   */
  port(): number
  /** Toxiproxy; null where there is none in it. */
  readonly proxy: LinkProxy | null
}

/**
 * A run with Sentinels takes three servers, as many proxies before them, as many Sentinels, and
 * three listeners for each consumer.
 */
const ports = 24
const apiPort = 8474

/**
 * `image`: Toxiproxy's, or another one for the idle container, which has a shell. @throws
 * LiveProblem
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
