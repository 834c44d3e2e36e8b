/**
 * `--with docker`: Redis in containers, by testcontainers, behind Toxiproxy in another one or the built-in proxy; for a
 * failover, three servers and three Sentinels. The sink is on this machine, where the containers need not reach it: its
 * proxies are always the built-in ones.
 */
import type { StartedTestContainer } from 'testcontainers'
import type { LiveEnvironment } from '../environment.ts'
import { LiveProblem } from '../problem.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import type { RunDirectory } from '../run-directory.ts'
import { ContainedRedis, isReady, serverCommand } from './contained-redis.ts'
import { containedSentinels } from './contained-sentinels.ts'
import { openNetwork } from './container-network.ts'
import { Containers, type Testcontainers } from './containers.ts'
import type { Power } from './live-server.ts'
import { SentinelDeployment } from './sentinel-deployment.ts'
import { identityOfProgram } from './server-identity.ts'

export interface DockerWish {
  readonly redisImage: string
  readonly toxiproxyImage: string
  /** Toxiproxy in a container, too. */
  readonly contained: boolean
}

/** @throws LiveProblem where there is no engine, or an image cannot be had */
export async function openDocker(
  directory: RunDirectory,
  { redisImage, toxiproxyImage, contained }: DockerWish,
  builtin: LinkProxy,
): Promise<LiveEnvironment> {
  const containers = new Containers(await engine(), directory)
  const close = async () => {
    await builtin.close()
    await containers.close()
  }
  try {
    const image = contained ? toxiproxyImage : redisImage
    const network = await openNetwork(containers, { image, proxied: contained })
    const proxy = network.proxy ?? builtin
    const { redisPort } = network
    const start = () =>
      ContainedRedis.start(containers, network, redisImage, redisPort, serverCommand(redisPort), isReady)
    // The first one shows that the image is what it should be.
    let spare: ContainedRedis | null = await start()
    return {
      about: `docker: ${redisImage} (${await serverIn(spare.container, redisImage)}), ${proxy.about}`,
      redisProxy: proxy,
      sinkProxy: builtin,
      endsInTurn: false,
      keyPrefix: null,
      close,
      shapes: ['single', 'sentinel'],
      refuses: (power) => refusal(power, contained),
      startHeld: null,
      async startServers(shape) {
        if (shape === 'sentinel') {
          const sentinels = await SentinelDeployment.start(containedSentinels(containers, network, redisImage))
          return { machine: sentinels.nodes[0]!.machine, sentinels, close: () => sentinels.close() }
        }
        const machine = spare ?? (await start())
        spare = null
        return { machine, close: () => containers.remove(machine.container) }
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

function refusal(power: Power, contained: boolean): string | null {
  if (power === 'clock') return 'a container has the clock of its machine'
  if (power === 'cut-off' && !contained)
    return 'with --proxy builtin, servers in containers reach each other without a proxy'
  return null
}

export async function hasEngine(): Promise<boolean> {
  return engine().then(
    () => true,
    () => false,
  )
}

async function engine(): Promise<Testcontainers> {
  const docker = await import('testcontainers').catch(() => {
    throw new LiveProblem(
      '--with docker',
      'the package testcontainers is missing; add it (npm install testcontainers@11)',
    )
  })
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
      `the engine is at ${host}, and ports of its containers are taken on its own loopback; use an engine of this machine`,
    )
  return docker
}

async function serverIn(container: StartedTestContainer, image: string): Promise<string> {
  const { output } = await container.exec(['redis-server', '--version'])
  const server = identityOfProgram(output)
  if (server === null)
    throw new LiveProblem(`image ${image}`, 'there is no redis-server in it; name another with --redis-image')
  return server
}
