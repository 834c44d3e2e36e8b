/**
 * A redis-server (or Sentinel) as a child process, on a free loopback port, without persistence.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { LiveProblem } from '../environment/problem.ts'
import { answers } from './answers.ts'
import type { ServerMachine } from './live-server.ts'
import { endBy, lastLine, lives } from './own-process.ts'

const report = /fatal|error|Failed|Could not|bind/i

export interface RedisProcessOptions {
  readonly binary: string
  readonly port: number
  readonly args: readonly string[]
  /** The working folder of the server. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly started: (pid: number) => void
}

export class RedisProcess implements ServerMachine {
  readonly host = '127.0.0.1'
  readonly access = {}
  #child: ChildProcess | null = null
  #output = ''

  constructor(private readonly options: RedisProcessOptions) {}

  get port(): number {
    return this.options.port
  }

  async isAlive(): Promise<boolean> {
    return lives(this.#child)
  }

  /**
   * Starts the server. Resolves when it answers.
   * @throws LiveProblem
   */
  async start(): Promise<void> {
    const { binary, port, args, folder, env, started } = this.options
    // The server has a separate process group, so that Ctrl-C reaches only the harness.
    const child = spawn(binary, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    this.#child = child
    this.#output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => (this.#output = `${this.#output}${text}`.slice(-4000)))
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('exit', () => resolve(lastLine(this.#output, report)))
    })
    if (child.pid !== undefined) started(child.pid)
    const problem = await Promise.race([ended, answers(port)])
    if (problem !== null) throw new LiveProblem(`${binary} on port ${port}`, `it does not start: ${problem}`)
  }

  async kill(): Promise<void> {
    await endBy(this.#child, 'SIGKILL')
  }

  async freeze(on: boolean): Promise<void> {
    this.#child?.kill(on ? 'SIGSTOP' : 'SIGCONT')
  }
}
