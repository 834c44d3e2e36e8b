/**
 * `--with docker`: Redis and PostgreSQL in containers, by testcontainers, behind a Toxiproxy
 * container or the built-in proxy; for a failover, three servers and three Sentinels of Redis. The
 * sink is on this machine, and the containers need not reach it, so its proxies are always built
 * in.
 */
import type { StartedTestContainer } from 'testcontainers'
import type { StoreKind } from '../../contract/api/store.ts'
import type { LiveEnvironment } from '../environment/environment.ts'
import { LiveProblem } from '../environment/problem.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import type { PostgresHost } from '../postgres/postgres-machine.ts'
import { withoutRedis } from '../postgres/with-postgres.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import { openContainedPostgres } from './contained-postgres.ts'
import { ContainedRedis, isReady, serverCommand } from './contained-redis.ts'
import { containedSentinels } from './contained-sentinels.ts'
import { type ContainerNetwork, openNetwork } from './container-network.ts'
import { Containers, type Testcontainers } from './containers.ts'
import type { Power } from './live-server.ts'
import { SentinelDeployment } from './sentinel-deployment.ts'
import { identityOfProgram } from './server-identity.ts'

export interface DockerWish {
  readonly redisImage: string
  readonly postgresImage: string
  readonly toxiproxyImage: string
  /** True if Toxiproxy also runs in a container. */
  readonly contained: boolean
}

/** The servers that some layer requests. */
interface DockerServers {
  readonly environment: LiveEnvironment
  readonly postgres: PostgresHost | null
}

/**
 * Opens the environment.
 * @throws LiveProblem if there is no engine, or if an image is not available
 */
export async function openDocker(
  directory: RunDirectory,
  { redisImage, postgresImage, toxiproxyImage, contained }: DockerWish,
  builtin: LinkProxy,
  stores: ReadonlySet<StoreKind>,
): Promise<DockerServers> {
  const containers = new Containers(await engine(), directory)
  const close = async () => {
    await builtin.close()
    await containers.close()
  }
  const image = { '--redis-image': redisImage, '--postgres-image': postgresImage, '--toxiproxy-image': toxiproxyImage }
  const own = stores.has('redis') ? '--redis-image' : '--postgres-image'
  const option = contained ? '--toxiproxy-image' : own
  try {
    const network = await openNetwork(containers, { image: image[option], option })
    const proxy = network.proxy ?? builtin
    const ends = { sinkProxy: builtin, endsInTurn: false, close }
    const environment = stores.has('redis')
      ? { ...(await openRedis(containers, network, redisImage, proxy)), ...ends }
      : { ...withoutRedis('docker', proxy), ...ends }
    const postgres = stores.has('postgres') ? await openContainedPostgres(containers, network, postgresImage) : null
    return { environment, postgres }
  } catch (error) {
    await close()
    throw error
  }
}

async function openRedis(
  containers: Containers,
  network: ContainerNetwork,
  image: string,
  proxy: LinkProxy,
): Promise<Omit<LiveEnvironment, 'sinkProxy' | 'endsInTurn' | 'close'>> {
  const { redisPort } = network
  const start = () => ContainedRedis.launch(containers, network, image, redisPort, serverCommand(redisPort), isReady)
  // The first container verifies the image. The first run on a single server uses it.
  let spare: ContainedRedis | null = await start()
  return {
    about: `docker: ${image} (${await serverIn(spare.container, image)}), ${proxy.about}`,
    redisProxy: proxy,
    keyPrefix: null,
    shapes: ['single', 'sentinel'],
    refuses: (power) => refusal(power, network.proxy !== null),
    startHeld: null,
    async startServers(shape) {
      if (shape === 'sentinel') {
        const sentinels = await SentinelDeployment.start(containedSentinels(containers, network, image))
        return { machine: sentinels.nodes[0]!.machine, sentinels, close: () => sentinels.close() }
      }
      const machine = spare ?? (await start())
      spare = null
      return { machine, close: () => containers.remove(machine.container) }
    },
  }
}

function refusal(power: Power, contained: boolean): string | null {
  if (power === 'clock') return 'a container has the clock of its machine'
  if (power === 'cut-off' && !contained) return 'with --proxy builtin, servers in containers connect without a proxy'
  return null
}

export async function hasEngine(): Promise<boolean> {
  return engine().then(
    () => true,
    () => false,
  )
}

async function engine(): Promise<Testcontainers> {
  const docker = await import('testcontainers')
  const client = await docker.getContainerRuntimeClient().catch(() => {
    throw new LiveProblem(
      '--with docker',
      'no container engine answers; start one or set DOCKER_HOST, or choose --with local',
    )
  })
  const { host } = client.info.containerRuntime
  if (!['localhost', '127.0.0.1', '::1'].includes(host))
    throw new LiveProblem(
      '--with docker',
      `the engine is at ${host}, where its ports are unreachable; use an engine of this machine`,
    )
  return docker
}

async function serverIn(container: StartedTestContainer, image: string): Promise<string> {
  const { output } = await container.exec(['redis-server', '--version'])
  const server = identityOfProgram(output)
  if (server === null)
    throw new LiveProblem(`image ${image}`, 'it has no redis-server; give another with --redis-image')
  return server
}
