/** A PostgreSQL server as a child process, on a free loopback port, with a separate data folder. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { LiveProblem } from '../environment/problem.ts'
import type { PostgresMachine, PostgresSettings } from '../postgres/postgres-machine.ts'
import { childrenOf, runs, signal, stands } from './child-processes.ts'
import { endBy, lastLine, lives } from './own-process.ts'
import { serverSettings } from './postgres-settings.ts'

export interface PostgresProcessOptions {
  readonly programs: string
  readonly port: number
  /** The data folder of the server. */
  readonly data: string
  readonly user: { readonly uid: number; readonly gid: number } | undefined
  readonly env: NodeJS.ProcessEnv
  readonly settings: PostgresSettings
  readonly started: (pid: number, endsBy: NodeJS.Signals) => void
  readonly removed: () => Promise<void>
}

const report = /FATAL|ERROR|PANIC/

/** The time that the server may take to read its log and accept clients. */
const timeoutMs = 20_000

/** Additional settings of a server that shares a machine with others. */
const onThisMachine = ['unix_socket_directories=', 'dynamic_shared_memory_type=mmap']

export class PostgresProcess implements PostgresMachine {
  readonly host = '127.0.0.1'
  readonly operator = { user: 'postgres', password: '', database: 'postgres' }
  readonly login = { user: 'app', password: 'app', database: 'app' }
  readonly makes = true
  #child: ChildProcess | null = null
  #output = ''

  constructor(private readonly options: PostgresProcessOptions) {}

  get port(): number {
    return this.options.port
  }

  async isAlive(): Promise<boolean> {
    return lives(this.#child)
  }

  async start(): Promise<void> {
    const { programs, port, data, user, env, settings, started } = this.options
    const args = ['-D', data, ...serverSettings({ port, addresses: this.host, settings }, onThisMachine)]
    // The server has a separate process group, so that Ctrl-C reaches only the harness.
    const child = spawn(path.join(programs, 'postgres'), args, {
      ...user,
      cwd: path.dirname(data),
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    })
    this.#child = child
    this.#output = ''
    if (child.pid !== undefined) started(child.pid, 'SIGQUIT')
    const problem = await new Promise<string | null>((resolve) => {
      const timer = setTimeout(() => resolve(`it is not ready within ${timeoutMs} ms`), timeoutMs)
      const settle = (what: string | null): void => {
        clearTimeout(timer)
        resolve(what)
      }
      child.stderr!.on('data', (text: Buffer) => {
        this.#output = `${this.#output}${text}`.slice(-4000)
        if (this.#output.includes('ready to accept connections')) settle(null)
      })
      child.once('error', (error) => settle(error.message))
      child.once('exit', () => settle(lastLine(this.#output, report)))
    })
    if (problem !== null) throw new LiveProblem(`postgres on port ${port}`, `it does not start: ${problem}`)
  }

  /**
   * Kills the server as a power failure would. The postmaster is stopped first, so that it does not
   * shut down its sessions, and killed last, so that no session notices its end and notifies its
   * client.
   */
  async kill(): Promise<void> {
    const child = this.#child
    if (!lives(child)) return
    child.kill('SIGSTOP')
    await stands(child.pid!)
    const sessions = childrenOf(child.pid!)
    for (const pid of sessions) signal(pid, 'SIGKILL')
    await ended(sessions)
    await endBy(child, 'SIGKILL')
  }

  /**
   * Freezes or resumes the server. The postmaster is frozen first, so that it starts no more
   * sessions.
   */
  async freeze(on: boolean): Promise<void> {
    const child = this.#child
    if (!lives(child)) return
    if (on) {
      child.kill('SIGSTOP')
      await stands(child.pid!)
    }
    for (const pid of childrenOf(child.pid!)) signal(pid, on ? 'SIGSTOP' : 'SIGCONT')
    if (!on) child.kill('SIGCONT')
  }

  /** Frees shared memory that a killed server could not free. */
  async #giveBack(): Promise<void> {
    const segment = await segmentOf(this.options.data)
    if (segment !== undefined) await promisify(execFile)('ipcrm', ['-m', segment]).catch(() => {})
  }

  /** Shuts the server down immediately, which frees the memory that it shares with its sessions. */
  async close(): Promise<void> {
    if (lives(this.#child)) {
      await this.freeze(false)
      await endBy(this.#child, 'SIGQUIT')
    } else await this.#giveBack()
    await this.options.removed()
  }
}

/**
 * The id of the server's System V segment. The seventh line of `postmaster.pid` contains its key
 * and id.
 */
async function segmentOf(data: string): Promise<string | undefined> {
  const text = await fs.promises.readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '')
  return text.split('\n')[6]?.trim().split(/\s+/)[1]
}

/**
 * Resolves once the processes no longer run. Then their connections are closed and their memory is
 * freed.
 */
async function ended(pids: readonly number[]): Promise<void> {
  while (pids.some(runs)) await new Promise((resolve) => setTimeout(resolve, 2))
}
