/** A Redis server or Sentinel in a container: ended, started and stopped by the engine. */
import type { StartedTestContainer } from 'testcontainers'
import { LiveProblem } from '../problem.ts'
import { answers } from './answers.ts'
import type { ContainerNetwork } from './container-network.ts'
import type { Containers } from './containers.ts'
import type { ServerMachine } from './live-server.ts'

/** What the engine does to a container. */
interface Handle {
  kill(): Promise<unknown>
  start(): Promise<unknown>
  pause(): Promise<unknown>
  unpause(): Promise<unknown>
  inspect(): Promise<{ State: { Running: boolean } }>
}

export class ContainedRedis implements ServerMachine {
  readonly host = '127.0.0.1'
  readonly access = {}
  #runs = true

  private constructor(
    readonly container: StartedTestContainer,
    private readonly handle: Handle,
    readonly port: number,
  ) {}

  /** @throws LiveProblem */
  static async start(
    containers: Containers,
    network: ContainerNetwork,
    image: string,
    port: number,
    command: readonly string[],
    prints: string,
  ): Promise<ContainedRedis> {
    const container = await containers.start({
      image,
      option: '--redis-image',
      command,
      networkOf: network.container,
      until: { prints },
    })
    const client = await containers.docker.getContainerRuntimeClient()
    const handle = client.container.dockerode.getContainer(container.getId())
    return new ContainedRedis(container, handle, port)
  }

  async isAlive(): Promise<boolean> {
    return this.#runs
      ? this.handle.inspect().then(
          ({ State }) => State.Running,
          () => false,
        )
      : true
  }

  async kill(): Promise<void> {
    const ran = this.#runs
    this.#runs = false
    if (ran) await this.handle.kill()
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    await this.handle.start()
    this.#runs = true
    const problem = await answers(this.port)
    if (problem !== null) throw new LiveProblem('a container of Redis', `it does not start again: ${problem}`)
  }

  async freeze(on: boolean): Promise<void> {
    await (on ? this.handle.pause() : this.handle.unpause())
  }
}

/** What a server prints last as it starts. */
export const isReady = 'Ready to accept connections'

/** A server with nothing on disk, reached from outside of its container. */
export const serverCommand = (port: number, more: readonly string[] = []): string[] => [
  ...['redis-server', '--bind', '0.0.0.0', '--protected-mode', 'no', '--port', `${port}`],
  ...['--save', '', '--appendonly', 'no', ...more],
]
