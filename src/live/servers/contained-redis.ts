/** A Redis server or Sentinel in a container. */
import { answers } from './answers.ts'
import { ContainedServer } from './contained-server.ts'
import type { ContainerNetwork } from './container-network.ts'
import type { Containers } from './containers.ts'
import type { ServerMachine } from './live-server.ts'

export class ContainedRedis extends ContainedServer implements ServerMachine {
  protected readonly what = 'Redis'
  readonly access = {}

  /**
   * Starts a container.
   * @throws LiveProblem
   */
  static async launch(
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
    return new ContainedRedis(container, await containers.handleOf(container), port)
  }

  protected answers(): Promise<string | null> {
    return answers(this.port)
  }
}

/** The last line that a server prints when it starts. */
export const isReady = 'Ready to accept connections'

/** The command for a server without persistence that is reachable from outside of its container. */
export const serverCommand = (port: number, more: readonly string[] = []): string[] => [
  ...['redis-server', '--bind', '0.0.0.0', '--protected-mode', 'no', '--port', `${port}`],
  ...['--save', '', '--appendonly', 'no', ...more],
]
