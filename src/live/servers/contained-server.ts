/** A server in a container. The engine kills, starts and freezes it. */
import type { StartedTestContainer } from 'testcontainers'
import { LiveProblem } from '../environment/problem.ts'

/** The engine's operations on a container. */
export interface ContainerHandle {
  kill(): Promise<unknown>
  start(): Promise<unknown>
  pause(): Promise<unknown>
  unpause(): Promise<unknown>
  inspect(): Promise<{ State: { Running: boolean } }>
}

export abstract class ContainedServer {
  readonly host = '127.0.0.1'
  /** The name of the kind of server, such as `Redis`. */
  protected abstract readonly what: string
  #runs = true

  constructor(
    readonly container: StartedTestContainer,
    private readonly handle: ContainerHandle,
    readonly port: number,
  ) {}

  /** Resolves to null once the server answers; on timeout, to a sentence with the error. */
  protected abstract answers(): Promise<string | null>

  /** Resolves to true after the server was asked to end, because its end is then expected. */
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
    if (ran) await this.end()
  }

  /**
   * Sends SIGKILL to the container's first process. The kernel then kills all other processes in
   * the container.
   */
  protected async end(): Promise<void> {
    try {
      await this.handle.kill()
    } catch (error) {
      // The error is ignored if the container ended by itself meanwhile.
      if ((await this.handle.inspect()).State.Running) throw error
    }
  }

  /**
   * Starts the container. Resolves when the server answers.
   * @throws LiveProblem
   */
  async start(): Promise<void> {
    await this.handle.start()
    this.#runs = true
    const problem = await this.answers()
    if (problem !== null) throw new LiveProblem(`a container of ${this.what}`, `it does not start again: ${problem}`)
  }

  /** Freezes or resumes all processes in the container. */
  async freeze(on: boolean): Promise<void> {
    await (on ? this.handle.pause() : this.handle.unpause())
  }
}
