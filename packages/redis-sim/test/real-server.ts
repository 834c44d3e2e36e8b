/** A real redis-server on a free loopback port, with clients that return raw bytes. */

import { once } from 'node:events'
import net from 'node:net'
import { type RedisProcess, startRedis } from 'test-servers'
import { pathOf } from '../../../test/needs/needs.ts'
import { encodeCommand } from '../src/resp/encode-command.ts'

export class RealServer {
  private constructor(private readonly server: RedisProcess) {}

  static async start(): Promise<RealServer> {
    return new RealServer(await startRedis(pathOf('redis')))
  }

  get port(): number {
    return this.server.port
  }

  async client(): Promise<RealClient> {
    const socket = net.connect(this.port, '127.0.0.1').setEncoding('latin1')
    await once(socket, 'connect')
    return new RealClient(socket)
  }

  stop(): Promise<void> {
    return this.server.stop()
  }
}

export class RealClient {
  constructor(readonly socket: net.Socket) {}

  send(words: readonly string[]): void {
    this.socket.write(encodeCommand(words), 'latin1')
  }

  /** Sends a command; returns the bytes of the reply, which must arrive in one read. */
  async run(words: readonly string[]): Promise<string> {
    this.send(words)
    const [bytes] = await once(this.socket, 'data')
    return bytes
  }
}
