/**
 * `--with docker`: a Redis in a container, by testcontainers, behind Toxiproxy in another one or the built-in proxy.
 * Redis shares the network of the Toxiproxy container, as in docker-compose.yml. The sink is on this machine, where
 * the containers need not reach it: its proxies are always the built-in ones.
 */
import { execFileSync } from 'node:child_process'
import type { StartedTestContainer } from 'testcontainers'
import { Toxiproxy } from 'toxiproxy-node-client'
import { LiveProblem } from '../problem.ts'
import type { ProxySide, Stage } from '../stage.ts'
import type { Workplace } from '../workplace.ts'
import type { Machine } from './live-server.ts'
import { freePort } from './redis-process.ts'

export interface DockerWish {
  readonly redisImage: string
  readonly toxiproxyImage: string
}

type Testcontainers = typeof import('testcontainers')

/** Names every container of ours, for whoever finds one that a killed run left. */
export const label = 'onceproof.live'

/** Listeners of one run: a consumer each, and some to spare. */
const listenersInContainer = 12
const apiPort = 8474
const redisPort = 22001

/** @throws LiveProblem where there is no engine, or an image cannot be had */
export async function openDocker(
  workplace: Workplace,
  { redisImage, toxiproxyImage }: DockerWish,
  builtin: ProxySide & { readonly close: () => Promise<void> },
  /** Toxiproxy in a container, too. */
  containedProxy: boolean,
): Promise<Stage> {
  const docker = await engine()
  const bench = new Bench(docker, workplace)
  try {
    const proxy = containedProxy ? await startToxiproxy(bench, toxiproxyImage) : null
    const redis = await startRedis(bench, redisImage, proxy)
    const version = await versionOf(redis.container, redisImage)
    return {
      about: `docker: ${redisImage} (Redis ${version}), ${proxy === null ? builtin.about : `${proxy.side.about} in a container`}`,
      ...{ redisProxy: proxy?.side ?? builtin, sinkProxy: builtin, keyPrefix: null },
      refuses: (power) => (power === 'clock' ? 'a container has the clock of its machine' : null),
      startServers: async (shape) => {
        if (shape === 'sentinel') throw new LiveProblem('--failover', 'its servers are started by --with local only')
        await redis.machine.startAfresh()
        return { machine: redis.machine, close: async () => {} }
      },
      async close() {
        await builtin.close()
        await bench.close()
      },
    }
  } catch (error) {
    await builtin.close()
    await bench.close()
    throw error
  }
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
  try {
    await docker.getContainerRuntimeClient()
  } catch {
    throw new LiveProblem(
      '--with docker',
      'no container engine answers; start one or set DOCKER_HOST, or choose --with local',
    )
  }
  return docker
}

/** Containers of one command; gone at its end, and by the `docker` program when this process ends at once. */
class Bench {
  readonly #containers: StartedTestContainer[] = []
  readonly #forget: () => void

  constructor(
    readonly docker: Testcontainers,
    private readonly workplace: Workplace,
  ) {
    this.#forget = workplace.atExit(() => {
      const ids = this.#containers.map((container) => container.getId())
      if (ids.length > 0) execFileSync('docker', ['rm', '-f', '-v', ...ids], { stdio: 'ignore' })
    })
  }

  async start(
    image: string,
    option: string,
    set: (container: InstanceType<Testcontainers['GenericContainer']>) => unknown,
  ): Promise<StartedTestContainer> {
    const container = new this.docker.GenericContainer(image)
      .withLabels({ [label]: this.workplace.folder })
      .withStartupTimeout(60_000)
    set(container)
    try {
      const started = await container.start()
      this.#containers.push(started)
      return started
    } catch (error) {
      throw problemWith(image, option, error)
    }
  }

  /** In reverse: what shares a network goes before the network. */
  async close(): Promise<void> {
    for (const container of this.#containers.splice(0).reverse())
      await container.stop({ remove: true, removeVolumes: true, timeout: 0 })
    this.#forget()
  }
}

function problemWith(image: string, option: string, error: unknown): LiveProblem {
  const [text = ''] = String(error instanceof Error ? error.message : error).split('\n')
  if (/ryuk/i.test(text))
    return new LiveProblem(
      'the image of testcontainers-ryuk',
      'it cannot be pulled; set TESTCONTAINERS_RYUK_DISABLED=true, containers are removed without it',
    )
  const also = option === '--toxiproxy-image' ? ', or choose --proxy builtin' : ', or choose --with local'
  return new LiveProblem(
    `image ${image}`,
    `no container starts from it (${text.trim()}); name another with ${option}${also}`,
  )
}

async function startToxiproxy(bench: Bench, image: string) {
  const ports: number[] = []
  while (ports.length < listenersInContainer) {
    const port = await freePort()
    if (!ports.includes(port)) ports.push(port)
  }
  const redisHere = await freePort()
  const container = await bench.start(image, '--toxiproxy-image', (one) =>
    one
      .withCommand(['-host=0.0.0.0'])
      .withExposedPorts(
        apiPort,
        { container: redisPort, host: redisHere },
        ...ports.map((port) => ({ container: port, host: port })),
      )
      .withWaitStrategy(bench.docker.Wait.forHttp('/version', apiPort)),
  )
  const toxiproxy = new Toxiproxy(`http://${container.getHost()}:${container.getMappedPort(apiPort)}`)
  let next = 0
  const side: ProxySide = {
    about: `Toxiproxy (${image})`,
    toxiproxy,
    // Every run of the command removes its proxies, so that ports can be used again.
    listen: () => `0.0.0.0:${ports[next++ % ports.length]}`,
  }
  return { container, side, redisHere }
}

async function startRedis(bench: Bench, image: string, proxy: Awaited<ReturnType<typeof startToxiproxy>> | null) {
  const here = proxy?.redisHere ?? (await freePort())
  const container = await bench.start(image, '--redis-image', (one) => {
    one
      .withCommand(['redis-server', '--port', String(redisPort), '--save', '', '--appendonly', 'no'])
      .withWaitStrategy(bench.docker.Wait.forLogMessage('Ready to accept connections'))
    if (proxy === null) one.withExposedPorts({ container: redisPort, host: here })
    else one.withNetworkMode(`container:${proxy.container.getId()}`)
  })
  const client = await bench.docker.getContainerRuntimeClient()
  const handle = client.container.dockerode.getContainer(container.getId())
  return { container, machine: new ContainedRedis(handle, here, proxy !== null) }
}

interface Handle {
  kill(): Promise<unknown>
  start(): Promise<unknown>
  pause(): Promise<unknown>
  unpause(): Promise<unknown>
}

class ContainedRedis implements Machine {
  readonly host = '127.0.0.1'
  readonly access = {}
  readonly seenByProxy: { readonly host: string; readonly port: number }
  #used = false
  #runs = true

  constructor(
    private readonly handle: Handle,
    readonly port: number,
    besideProxy: boolean,
  ) {
    this.seenByProxy = { host: '127.0.0.1', port: besideProxy ? redisPort : port }
  }

  /** Each run has a server that nobody has used. */
  async startAfresh(): Promise<void> {
    if (this.#used) {
      await this.kill()
      await this.start()
    }
    this.#used = true
  }

  async kill(): Promise<void> {
    if (this.#runs) await this.handle.kill()
    this.#runs = false
  }

  async start(): Promise<void> {
    await this.handle.start()
    this.#runs = true
  }

  async freeze(on: boolean): Promise<void> {
    await (on ? this.handle.pause() : this.handle.unpause())
  }
}

async function versionOf(container: StartedTestContainer, image: string): Promise<string> {
  const { output } = await container.exec(['redis-server', '--version'])
  const version = /v=(\S+)/.exec(output)?.[1]
  if (version === undefined)
    throw new LiveProblem(`image ${image}`, 'there is no redis-server in it; name another with --redis-image')
  return version
}
