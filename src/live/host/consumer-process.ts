/** One consumer as an operating-system process. Signals kill, stop and resume it. */
import { type ChildProcess, spawn } from 'node:child_process'
import readline from 'node:readline'
import { lives } from '../servers/own-process.ts'
import { type FromConsumer, isInTurn, type ProcessTime, type TimedOrder, type ToConsumer } from './protocol.ts'

/** One version of a layer. */
export interface Version {
  /** The path of the bundle of the adapter. */
  readonly adapter: string
  /** The adapter's source file. */
  readonly source: string
}

/** The layer's program; in a rolling upgrade, that of its old version. */
export interface Program extends Version {
  /** The path of the bundle of the consumer's program. */
  readonly main: string
  /** The version of upgraded processes in a rolling upgrade. */
  readonly next?: Version
}

export interface ProcessEvents {
  heard(message: FromConsumer): void
  printed(stream: 'stdout' | 'stderr', line: string): void
  /** Called when the process ended without being killed by the harness. */
  exited(how: string): void
}

export class ConsumerProcess {
  state: 'running' | 'paused' | 'ended' = 'running'
  /** True once the process has created its layer. */
  created = false
  /**
   * When the process was last resumed. If its timers are late around that time, the machine is not
   * slow.
   */
  resumedMs = Number.NEGATIVE_INFINITY
  /** The number of orders that a process of a scheduled run has not carried out yet. */
  undigested = 0
  #holds = false
  /**
   * Returns the time that the process's clocks show; null if the run does not follow a schedule.
   */
  clocks: () => ProcessTime | null = () => null
  /** Resolves with null once the adapter is loaded, or with an error message if loading fails. */
  readonly loaded: Promise<string | null>
  /** Work that waits until the process resumes. */
  readonly #held: (() => void)[] = []
  readonly #child: ChildProcess
  /** Settles when the process has ended. */
  readonly gone: Promise<void>
  #events: ProcessEvents | null = null
  #lastError = ''

  constructor(
    { main, adapter }: Pick<Program, 'main' | 'adapter'>,
    readonly name: string,
    readonly slot: number,
    env: NodeJS.ProcessEnv,
    started: (pid: number) => void,
  ) {
    // The process has a separate process group, so that Ctrl-C reaches only the harness.
    this.#child = spawn(process.execPath, [main, adapter], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env,
      detached: true,
    })
    if (this.#child.pid !== undefined) started(this.#child.pid)
    this.gone = new Promise((resolve) => {
      for (const event of ['exit', 'error'] as const) this.#child.once(event, () => resolve())
    })
    this.loaded = new Promise((resolve) => {
      this.#child.on('message', (message: FromConsumer) => {
        if (message.type === 'loaded') resolve(null)
        else if (message.type === 'load-failed') resolve(message.error)
        else if (this.state !== 'ended') {
          if (message.type === 'digested') this.undigested--
          this.#events?.heard(message)
        }
      })
      void this.gone.then(() => resolve(`its process ended (${this.#lastError || 'no message'})`))
    })
    for (const stream of ['stdout', 'stderr'] as const)
      readline.createInterface({ input: this.#child[stream]! }).on('line', (line) => this.#printed(stream, line))
    this.#child.on('exit', (code, signal) => {
      if (this.state === 'ended') return
      this.#events?.exited(this.#lastError || (signal === null ? `exit code ${code}` : `signal ${signal}`))
    })
    // If the channel breaks during a send, the process has ended, and `exit` reports that.
    this.#child.on('error', () => {})
  }

  /** True once the operating system has reported the exit of the process. */
  get hasExited(): boolean {
    return !lives(this.#child)
  }

  /** Makes `events` receive the messages of the process. Spare processes have no events yet. */
  attach(events: ProcessEvents): void {
    this.#events = events
  }

  send(message: ToConsumer): void {
    if (this.state === 'ended' || !this.#child.connected) return
    if (message.type === 'create') this.#holds = message.holds
    if (!this.#holds || !isInTurn(message)) return void this.#child.send(message, () => {})
    this.undigested++
    const order: TimedOrder = { ...message, time: this.clocks()! }
    this.#child.send(order, () => {})
  }

  pause(): void {
    this.state = 'paused'
    this.#child.kill('SIGSTOP')
  }

  resume(nowMs: number): void {
    this.state = 'running'
    this.resumedMs = nowMs
    this.#child.kill('SIGCONT')
    for (const work of this.#held.splice(0)) work()
  }

  /** Runs the work now, or when the process runs again; never if it has ended. */
  whenRunning(work: () => void): void {
    if (this.state === 'running') work()
    else if (this.state === 'paused') this.#held.push(work)
  }

  /** Kills the process. SIGKILL ends a stopped process as well. */
  kill(): Promise<void> {
    this.state = 'ended'
    this.#held.length = 0
    this.#child.kill('SIGKILL')
    return this.gone
  }

  /** Remembers the message of an uncaught error, which is more useful than an exit code. */
  #printed(stream: 'stdout' | 'stderr', line: string): void {
    if (stream === 'stderr' && /^\w*Error\b.*: /.test(line)) this.#lastError = line
    this.#events?.printed(stream, line)
  }
}
