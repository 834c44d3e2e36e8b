import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { LoadError, real } from 'virtual-node/runtime'
import type { Child } from './child.ts'
import { parseObject } from './protocol.ts'

interface Expected {
  resolve(copy: Copy): void
  reject(error: LoadError): void
}

/** A process that a template has forked, and its connection. */
export interface Copy {
  readonly pid: number
  readonly socket: net.Socket
}

/**
 * The maximum path length of a Unix socket, in bytes, on the strictest system. Node truncates a
 * longer path, and would listen at another one.
 */
const longestPath = 103

const sockets: string[] = []

/**
 * The path of the socket to which copies connect. A Unix socket costs half as much as loopback TCP,
 * and processes can be forked only on Unix. The socket has no separate folder, because a thread may
 * end without an `exit` event: Node then removes the socket, but would leave the folder. At the end
 * of the process Node leaves the socket, so a listener removes it.
 */
function socketPath(): string {
  if (sockets.length === 0)
    process.once('exit', () => {
      for (const at of sockets) fs.rmSync(at, { force: true })
    })
  const at = path.join(os.tmpdir(), `onceproof-${randomBytes(8).toString('hex')}.sock`)
  sockets.push(at)
  return at
}

/** A process that forks copies of itself, so that modules are loaded only once. */
export class Template {
  /** Requested copies, in order. */
  readonly #expected: Expected[] = []

  private constructor(
    private readonly name: string,
    private readonly process: Child,
    private readonly control: net.Server,
    private readonly timeoutMs: number,
  ) {
    control.on('connection', (socket) => this.#shakeHands(socket))
    process.whenEnded(() => {
      for (const { reject } of this.#expected.splice(0)) reject(this.#problem(process.how!))
    })
  }

  static async listen(name: string, process: Child, timeoutMs: number): Promise<Template> {
    const control = net.createServer()
    const at = socketPath()
    if (Buffer.byteLength(at) > longestPath) {
      process.kill()
      throw new LoadError(name, `the socket path ${at} is too long; set TMPDIR to a shorter path`)
    }
    await new Promise<void>((resolve, reject) => control.once('error', reject).listen(at, resolve))
    return new Template(name, process, control.unref(), timeoutMs)
  }

  copy(): Promise<Copy> {
    if (this.process.how !== null) return Promise.reject(this.#problem(this.process.how))
    return new Promise((resolve, reject) => {
      // The timer also keeps this process alive, because the sockets do not.
      const timer = real.setTimeout(() => {
        // A copy that connects later is rejected, and ends with its connection.
        this.#expected.splice(this.#expected.indexOf(expected), 1)
        reject(this.#problem('makes none'))
      }, this.timeoutMs)
      const settled =
        <T>(settle: (what: T) => void) =>
        (what: T) => {
          real.clearTimeout(timer)
          settle(what)
        }
      const expected: Expected = { resolve: settled(resolve), reject: settled(reject) }
      this.#expected.push(expected)
      this.process.write({ type: 'fork', control: this.control.address() })
    })
  }

  #problem(how: string): LoadError {
    return new LoadError(this.name, `its first process ${how} although it must create others`)
  }

  #shakeHands(socket: net.Socket): void {
    socket.unref().on('error', () => {})
    socket.once('data', (bytes) => {
      const said = parseObject(bytes.toString())
      const expected = said?.type === 'process' ? this.#expected.shift() : undefined
      const pid = Number(said?.pid)
      // Signals may only be sent to the pid of another process; 0 and -1 stand for groups of
      // processes.
      const isProcess = Number.isSafeInteger(pid) && pid > 1 && pid !== process.pid
      if (expected !== undefined && isProcess) return expected.resolve({ pid, socket })
      socket.destroy()
      expected?.reject(this.#problem('created a process that reports no pid'))
    })
  }
}
