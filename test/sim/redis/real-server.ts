/** A real redis-server on a free loopback port, and clients of it with nothing between a test and the bytes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { endingWithParent } from '../../../src/ending-with-parent.ts'
import { freePort } from '../../../src/free-port.ts'
import { encodeWords } from './server-by-hand.ts'

export class RealServer {
  private constructor(
    readonly port: number,
    private readonly child: ReturnType<typeof spawn>,
  ) {}

  static async start(): Promise<RealServer> {
    const port = await freePort()
    const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--daemonize', 'no']
    const child = spawn(...endingWithParent('redis-server', flags), { stdio: ['ignore', 'pipe', 'ignore'] })
    let log = ''
    for await (const chunk of child.stdout!) {
      log += chunk
      if (log.includes('Ready to accept connections')) break
    }
    return new RealServer(port, child)
  }

  async client(): Promise<RealClient> {
    const socket = net.connect(this.port, '127.0.0.1').setEncoding('latin1')
    await once(socket, 'connect')
    return new RealClient(socket)
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit')
    this.child.kill()
    await exited
  }
}

export class RealClient {
  constructor(readonly socket: net.Socket) {}

  send(words: readonly string[]): void {
    this.socket.write(encodeWords(words), 'latin1')
  }

  /** The bytes that answer a command whose reply comes in one read. */
  async run(words: readonly string[]): Promise<string> {
    this.send(words)
    const [bytes] = await once(this.socket, 'data')
    return bytes
  }
}
