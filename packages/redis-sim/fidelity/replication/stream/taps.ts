/** Replicas that only record the stream of a primary, for real and simulated servers. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { encodeCommand } from 'test-servers'
import type { RedisServer } from '../../../src/server.ts'

const introduction = encodeCommand(['REPLCONF', 'capa', 'eof', 'capa', 'psync2'])
const request = encodeCommand(['PSYNC', '?', '-1'])
const acknowledgement = encodeCommand(['REPLCONF', 'ACK', '0'])

/** Milliseconds without data after which reading fails. */
const silenceMs = 10_000

/** Records the stream of a real primary, which must not have a repl-diskless-sync-delay. */
export class RealTap {
  private received = ''
  private wake = () => {}

  /**
   * Sends acknowledgments. The primary starts the stream at the first acknowledgment that arrives
   * after it has sent the data set.
   */
  private heartbeat: NodeJS.Timeout | undefined

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1')
      this.wake()
    })
  }

  static async open(port: number): Promise<RealTap> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const tap = new RealTap(socket)
    socket.write(introduction)
    await tap.until('+OK\r\n')
    socket.write(request)
    await tap.until('\r\n')
    const preamble = await tap.until('\r\n')
    await tap.until(/^\$EOF:(.{40})/.exec(preamble.trimStart())![1]!)
    // If an acknowledgment arrived before the end mark, the primary would mix the stream into the
    // data set.
    tap.heartbeat = setInterval(() => socket.write(acknowledgement), 100)
    return tap
  }

  /** Waits for a text in the stream. Returns the received bytes up to and including the text. */
  async until(text: string): Promise<string> {
    for (;;) {
      const at = this.received.indexOf(text)
      if (at !== -1) {
        const taken = this.received.slice(0, at + text.length)
        this.received = this.received.slice(at + text.length)
        return taken
      }
      await new Promise<void>((resolve, reject) => {
        const silence = setTimeout(
          () => reject(new Error(`the real primary never sent ${JSON.stringify(text)}`)),
          silenceMs,
        )
        this.wake = () => {
          clearTimeout(silence)
          resolve()
        }
      })
    }
  }

  /** Waits for 10 ms. */
  moment(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 10))
  }

  close(): void {
    clearInterval(this.heartbeat)
    this.socket.destroy()
  }
}

/**
 * Records the stream of a simulated server. The returned function returns and clears the recorded
 * bytes.
 */
export function tapSimulated(server: RedisServer): () => string {
  server.config.replDisklessSyncDelay = 0
  let received = ''
  const connection = server.connect({ write: (bytes) => void (received += bytes), close() {} })
  connection.receive(introduction)
  connection.receive(request)
  connection.receive(acknowledgement)
  received = ''
  return () => received
}
