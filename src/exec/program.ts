import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type net from 'node:net'
import { delimiter } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { LoadError } from 'virtual-node/runtime'
import { programWords } from '../contract/api/program-name.ts'
import { Child, type Problem, shown } from './child.ts'
import { LoopbackBridge } from './loopback-bridge.ts'
import type { PidBook } from './pid-book.ts'
import { type Hello, parseObject, protocolVersion } from './protocol.ts'
import { Template } from './template.ts'

export interface Timeouts {
  /** The maximum time until the program's hello, in milliseconds. */
  readonly helloMs: number
  /** The maximum time without output after a message, in milliseconds. */
  readonly silenceMs: number
}

/** The default limits. A working program answers within this time, even on a busy machine. */
const usual: Timeouts = { helloMs: 20_000, silenceMs: 20_000 }

/** The number of processes that are kept ready, so that a run does not wait for one to start. */
const spares = 2

type Spawned = ChildProcessByStdio<Writable, Readable, Readable>

/** A process and its hello. */
interface Handshake {
  readonly child: Child
  readonly hello: Hello
}

/**
 * A program that contains a layer: its declarations (`hello`), and the processes that are started
 * on request.
 */
export class Program {
  readonly #ready: Promise<Child>[] = []

  private constructor(
    readonly name: string,
    private readonly bridge: LoopbackBridge,
    private readonly pids: PidBook,
    private readonly timeouts: Timeouts,
    readonly hello: Hello,
    private readonly template: Template | null,
  ) {}

  /** @throws LoadError if the program cannot be started, or its hello is not one of protocol 1 */
  static async start(name: string, pids: PidBook, timeouts = usual): Promise<Program> {
    const bridge = await LoopbackBridge.listen()
    const { child, hello } = await shakeHands(name, bridge, pids, timeouts)
    const template = hello.forks ? await Template.listen(name, child, timeouts.helloMs) : null
    const program = new Program(name, bridge, pids, timeouts, hello, template)
    if (template === null) program.#ready.push(Promise.resolve(child))
    return program
  }

  /** The port to which the processes of the program connect instead of Redis. */
  get bridgePort(): number {
    return this.bridge.port
  }

  /** A new process of the program. */
  take(): Promise<Child> {
    const taken = this.#ready.shift() ?? this.#make()
    while (this.#ready.length < spares) {
      const spare = this.#make()
      // The caller of `take` that gets this process gets the error.
      spare.catch(() => {})
      this.#ready.push(spare)
    }
    return taken
  }

  async #make(): Promise<Child> {
    if (this.template === null) return (await shakeHands(this.name, this.bridge, this.pids, this.timeouts)).child
    const { pid, socket } = await this.template.copy()
    const { bridge, pids, timeouts } = this
    const child = new Child({ pid, input: socket, output: socket, bridge, silenceMs: timeouts.silenceMs })
    pids.add(pid)
    socket.once('close', () => {
      pids.remove(pid)
      child.ended('exited')
    })
    return child
  }

  /** The error that ends a run in which a process of the program has a problem. */
  blame({ kind, text }: Problem, who: string): LoadError {
    const fault = kind === 'not-the-protocol' ? 'unusable' : 'not-simulated'
    return new LoadError(this.name, `${who} ${text}; see docs/reference/protocol.md`, fault)
  }
}

/**
 * Starts the program in a separate process group, so that Ctrl-C in a terminal only signals the
 * harness, which ends its programs when their run is over.
 */
function started(name: string, file: string, args: readonly string[]): Spawned {
  const env = { ...process.env, ...settings }
  try {
    return spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], env, detached: true })
  } catch (error) {
    throw new LoadError(name, `cannot be started (${(error as Error).message})`)
  }
}

async function shakeHands(name: string, bridge: LoopbackBridge, pids: PidBook, timeouts: Timeouts): Promise<Handshake> {
  const words = programWords(name)
  if (words === null) throw new LoadError(name, 'no program given; write exec:python3 layer.py')
  if (/[*?]/.test(name)) throw new LoadError(name, 'its arguments are not expanded; remove * and ?')
  const [file, ...args] = words
  const spawned = started(name, file!, args)
  const { pid } = spawned
  const { silenceMs, helloMs } = timeouts
  const child = new Child({ pid: pid ?? 0, input: spawned.stdin, output: spawned.stdout, bridge, silenceMs })
  let lastLine = ''
  spawned.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastLine = text.trim().split('\n').at(-1) || lastLine
  })
  spawned.on('error', (error) => child.ended(`cannot be started (${error.message})`))
  spawned.on('close', (code, signal) => {
    if (pid !== undefined) pids.remove(pid)
    child.ended(`ended with ${signal ?? `exit code ${code}`}`)
  })
  if (pid !== undefined) pids.add(pid)
  const line = await child.line(helloMs)
  const failed = (text: string) => {
    child.kill()
    return new LoadError(name, lastLine === '' ? text : `${text}; it wrote: ${lastLine}`)
  }
  if (line === null)
    throw failed(
      child.how === null ? `it sent no hello within ${helloMs / 1000} s` : `it ${child.how} before it sent hello`,
    )
  const said = parseObject(line)
  if (said?.type !== 'hello') throw failed(`its first line is ${shown(line)} instead of hello`)
  if (said.protocol !== protocolVersion)
    throw failed(
      `it uses protocol ${said.protocol}, but this onceproof ${protocolVersion}; use the client library of this onceproof`,
    )
  if (said.clocks !== 'virtual' && said.clocks !== 'own') throw failed('its hello has no `clocks` (virtual or own)')
  for (const stream of [spawned.stdin, spawned.stdout, spawned.stderr]) (stream as unknown as net.Socket).unref()
  spawned.unref()
  return { child, hello: { ...said, forks: said.forks === true, deploys: said.deploys === true } as Hello }
}

const clients = fileURLToPath(new URL('../../clients/python', import.meta.url))

/**
 * Environment variables that remove differences between machines and random behavior of Python,
 * keep Python from writing bytecode files, and add the client library to its path.
 */
const settings = {
  TZ: 'UTC',
  LC_ALL: 'C.UTF-8',
  PYTHONHASHSEED: '0',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONPATH: [clients, process.env.PYTHONPATH].filter(Boolean).join(delimiter),
}
