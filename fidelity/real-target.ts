import { createConnection, type Socket } from 'node:net'
import { readReply } from './reply-tree.ts'
import { encodeCommand, type Step } from './step.ts'
import { closedMark, type Target } from './target.ts'

/** Parameters that stories set, with their defaults. */
const changedByStories = [
  ...['CONFIG', 'SET', 'requirepass', '', 'maxmemory-policy', 'noeviction'],
  ...['hash-max-listpack-entries', '512', 'hash-max-listpack-value', '64'],
  ...['stream-node-max-entries', '100', 'notify-keyspace-events', ''],
]

/** Real Redis over TCP, with no client library between: bytes out, bytes in. */
export class RealTarget implements Target {
  private connections: RealConnection[] = []
  private control: RealConnection | undefined

  constructor(
    private readonly host: string,
    private readonly port: number,
  ) {}

  /** The number that the server gave to the first connection; the others follow. */
  async begin(connections: number): Promise<number> {
    for (const connection of this.connections) connection.destroy()
    this.control ??= await RealConnection.open(this.host, this.port)
    for (const args of [['FLUSHALL'], ['SCRIPT', 'FLUSH'], changedByStories]) await this.ask(args)
    this.connections = []
    while (this.connections.length < connections) {
      this.connections.push(await RealConnection.open(this.host, this.port))
    }
    return Number(readReply(await this.connections[0]!.exchange(encodeCommand(['CLIENT', 'ID']), 1), 0)!.text)
  }

  perform(step: Exclude<Step, { kind: 'sleep' }>): Promise<string> {
    const connection = this.connections[step.on]!
    return step.kind === 'command'
      ? connection.exchange(encodeCommand(step.args), 1)
      : connection.exchange(step.bytes, step.replies)
  }

  /** A command beside the sequence. */
  async ask(args: readonly string[]): Promise<string> {
    this.control ??= await RealConnection.open(this.host, this.port)
    return this.control.exchange(encodeCommand(args), 1)
  }

  close(): void {
    for (const connection of this.connections) connection.destroy()
    this.control?.destroy()
  }
}

/** Nothing that a sequence asks for takes so long: what has not come by then will not come. */
const silenceMs = 1500

class RealConnection {
  private received = ''
  private closed = false
  private wake: (() => void) | undefined

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true)
    socket.on('data', (chunk) => {
      this.received += chunk.toString('latin1')
      this.wake?.()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.closed = true
      this.wake?.()
    })
  }

  static open(host: string, port: number): Promise<RealConnection> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ host, port })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new RealConnection(socket))
      })
    })
  }

  /** Writes, then waits for that many whole replies, for the end, or until nothing comes any more. */
  async exchange(bytes: string, replies: number | 'close'): Promise<string> {
    if (!this.closed) this.socket.write(bytes, 'latin1')
    if (replies === 0) return ''
    let end = 0
    let complete = 0
    for (;;) {
      while (end < this.received.length) {
        const reply = readReply(this.received, end)
        if (reply === undefined) break
        end = reply.end
        complete++
      }
      if (this.closed || (replies !== 'close' && complete >= replies)) break
      const silent = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), silenceMs)
        this.wake = () => {
          clearTimeout(timer)
          resolve(false)
        }
      })
      if (silent) break
    }
    const taken = this.closed ? this.received + closedMark : this.received.slice(0, end)
    this.received = this.received.slice(end)
    return taken
  }

  destroy(): void {
    this.socket.destroy()
  }
}
