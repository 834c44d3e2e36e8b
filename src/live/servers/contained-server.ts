/** A server in a container: ended, started and stopped by the engine. */
import type { StartedTestContainer } from 'testcontainers'
import { LiveProblem } from '../environment/problem.ts'

/** What the engine does to a container. */
export interface ContainerHandle {
  kill(): Promise<unknown>
  start(): Promise<unknown>
  pause(): Promise<unknown>
  unpause(): Promise<unknown>
  inspect(): Promise<{ State: { Running: boolean } }>
}

export abstract class ContainedServer {
  readonly host = '127.0.0.1'
  /** `Redis`. */
  protected abstract readonly what: string
  #runs = true

  constructor(
    readonly container: StartedTestContainer,
    private readonly handle: ContainerHandle,
    readonly port: number,
  ) {}

  /** Null once it answers; a sentence where that takes too long. */
  protected abstract answers(): Promise<string | null>

  /** It has been asked to end: that it runs no more is no surprise. */
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
   * The first process of the container by SIGKILL, and with it, by the kernel, all others in it.
   */
  protected async end(): Promise<void> {
    try {
      await this.handle.kill()
    } catch (error) {
      // It ended by itself meanwhile.
      if ((await this.handle.inspect()).State.Running) throw error
    }
  }

  /** Resolves when it answers. @throws LiveProblem */
  async start(): Promise<void> {
    await this.handle.start()
    this.#runs = true
    const problem = await this.answers()
    if (problem !== null) throw new LiveProblem(`a container of ${this.what}`, `it does not start again: ${problem}`)
  }

  /** All processes in it. */
  async freeze(on: boolean): Promise<void> {
    await (on ? this.handle.pause() : this.handle.unpause())
  }
}
