/**
 * The containers of one command, which testcontainers starts. They are removed at the end of the
 * command. Their ports are published on loopback only.
 */
import { execFileSync } from 'node:child_process'
import type { StartedTestContainer } from 'testcontainers'
import { LiveProblem } from '../environment/problem.ts'
import { containerLabel, type RunDirectory } from '../environment/run-directory.ts'
import type { ContainerHandle } from './contained-server.ts'

export type Testcontainers = typeof import('testcontainers')

export interface ContainerWish {
  readonly image: string
  /** The option that names another image. */
  readonly option: '--redis-image' | '--postgres-image' | '--toxiproxy-image'
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The published ports: `inside` of the container, and `here` on this machine. */
  readonly ports?: readonly { readonly inside: number; readonly here: number }[]
  /** The container whose network the new container shares. Absent: a separate network. */
  readonly networkOf?: StartedTestContainer
  /**
   * How to detect that the container is ready: a line that it prints, or a path that it answers on
   * its first port.
   */
  readonly until: { readonly prints: string } | { readonly answers: string }
}

export class Containers {
  readonly #started: StartedTestContainer[] = []
  readonly #forget: () => void

  constructor(
    readonly docker: Testcontainers,
    private readonly directory: RunDirectory,
  ) {
    directory.startsContainers()
    this.#forget = directory.atExit(() => removeAll(directory.folder))
  }

  /**
   * Starts a container.
   * @throws LiveProblem
   */
  async start(wish: ContainerWish): Promise<StartedTestContainer> {
    const { ports = [], environment = {}, networkOf, until } = wish
    const { Wait } = this.docker
    const container = new (onLoopback(this.docker))(wish.image)
      .withLabels({ [containerLabel]: this.directory.folder })
      .withStartupTimeout(30_000)
      .withCommand([...wish.command])
      .withEnvironment(environment)
      .withExposedPorts(...ports.map(({ inside, here }) => ({ container: inside, host: here })))
      .keepToLoopback()
      .withWaitStrategy(
        'prints' in until ? Wait.forLogMessage(until.prints) : Wait.forHttp(until.answers, ports[0]!.inside),
      )
    if (networkOf !== undefined) container.withNetworkMode(`container:${networkOf.getId()}`)
    try {
      const started = await container.start()
      this.#started.push(started)
      return started
    } catch (error) {
      await this.#removeHalfStarted()
      throw problemWith(wish, error)
    }
  }

  /** Removes a container that never got ready, because testcontainers does not. */
  async #removeHalfStarted(): Promise<void> {
    const { dockerode } = (await this.docker.getContainerRuntimeClient()).container
    const known = new Set(this.#started.map((container) => container.getId()))
    const filters = { label: [`${containerLabel}=${this.directory.folder}`] }
    for (const { Id } of await dockerode.listContainers({ all: true, filters }))
      if (!known.has(Id)) await dockerode.getContainer(Id).remove({ force: true, v: true })
  }

  /** The engine's operations on the container. */
  async handleOf(container: StartedTestContainer): Promise<ContainerHandle> {
    const { dockerode } = (await this.docker.getContainerRuntimeClient()).container
    return dockerode.getContainer(container.getId())
  }

  async remove(container: StartedTestContainer): Promise<void> {
    const at = this.#started.indexOf(container)
    if (at === -1) return
    this.#started.splice(at, 1)
    await container.stop({ remove: true, removeVolumes: true, timeout: 0 })
  }

  /**
   * Removes the containers in reverse order, so that a container that uses a network is removed
   * before the network.
   */
  async close(): Promise<void> {
    for (const container of [...this.#started].reverse()) await this.remove(container)
    this.#forget()
  }
}

/**
 * Removes all containers of a folder by the `docker` program, because this process is exiting.
 * Containers that are being created are included.
 */
function removeAll(folder: string): void {
  try {
    const found = execFileSync('docker', ['ps', '-aq', '--filter', `label=${containerLabel}=${folder}`])
    const ids = found.toString().trim()
    if (ids !== '') execFileSync('docker', ['rm', '-f', '-v', ...ids.split('\n')], { stdio: 'ignore' })
  } catch {
    // Without that program, the containers cannot be removed here. The rest of the cleanup
    // continues.
  }
}

/**
 * Publishes ports on loopback only, because other machines must not reach a server without a
 * password.
 */
function onLoopback({ GenericContainer }: Testcontainers) {
  return class extends GenericContainer {
    keepToLoopback(): this {
      const bindings = (this.hostConfig.PortBindings ?? {}) as { [port: string]: object[] }
      for (const some of Object.values(bindings)) for (const one of some) Object.assign(one, { HostIp: '127.0.0.1' })
      return this
    }
  }
}

function problemWith({ image, option }: ContainerWish, error: unknown): LiveProblem {
  const [text = ''] = String(error instanceof Error ? error.message : error).split('\n')
  if (/ryuk/i.test(text))
    return new LiveProblem(
      'the image of testcontainers-ryuk',
      'it cannot be pulled; set TESTCONTAINERS_RYUK_DISABLED=true (containers are removed anyway)',
    )
  const also = option === '--toxiproxy-image' ? ', or choose --proxy builtin' : ', or choose --with local'
  return new LiveProblem(
    `image ${image}`,
    `no container starts from it (${text.trim()}); give another with ${option}${also}`,
  )
}
