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

/** A process that a template has made, and the connection that it speaks over. */
export interface Copy {
  readonly pid: number
  readonly socket: net.Socket
}

/**
 * Bytes of a Unix socket's path, as the strictest system has it. Node cuts a longer one, and
 * listens elsewhere.
 */
const longestPath = 103

const sockets: string[] = []

/**
 * Where copies report: a Unix socket costs half of what loopback TCP does, and copies are made on
 * Unix alone. In no folder of its own: Node takes a socket away with a thread that ends, which may
 * hear of no `exit`, and with a process it does not.
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

/** A process that makes others as copies of itself, so that what it has loaded is loaded once. */
export class Template {
  /** Copies that were asked for, in order. */
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
      // It keeps this process alive, too, which the sockets do not.
      const timer = real.setTimeout(() => {
        // A copy that comes later is nobody's, and ends as its connection does.
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
      // What is no process of its own is never sent a signal: 0 and -1 are whole groups.
      const isProcess = Number.isSafeInteger(pid) && pid > 1 && pid !== process.pid
      if (expected !== undefined && isProcess) return expected.resolve({ pid, socket })
      socket.destroy()
      expected?.reject(this.#problem('created a process that reports no pid'))
    })
  }
}
