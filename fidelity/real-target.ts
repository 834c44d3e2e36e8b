import { encodeCommand } from '../src/fidelity/encode-command.ts'
import { closedMark, RealConnection } from '../src/fidelity/real-connection.ts'
import { readReply } from '../src/fidelity/reply-tree.ts'
import type { Step } from './step.ts'
import type { Target } from './target.ts'

/** Parameters that stories set, with their defaults. */
const changedByStories = [
  ...['CONFIG', 'SET', 'requirepass', '', 'maxmemory-policy', 'noeviction'],
  ...['hash-max-listpack-entries', '512', 'hash-max-listpack-value', '64'],
  ...['stream-node-max-entries', '100', 'notify-keyspace-events', '', 'busy-reply-threshold', '5000'],
]

/** Nothing can be compared with it any more. */
export class ServerGone extends Error {
  override readonly name = 'ServerGone'
}

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
    await this.endScripts()
    for (const args of [['FLUSHALL'], ['SCRIPT', 'FLUSH'], ['FUNCTION', 'FLUSH'], changedByStories])
      await this.ask(args)
    this.connections = []
    while (this.connections.length < connections) {
      this.connections.push(await RealConnection.open(this.host, this.port))
    }
    return Number(readReply(await this.connections[0]!.exchange(encodeCommand(['CLIENT', 'ID']), 1), 0)!.text)
  }

  /** A sequence may have been broken off while its script ran. */
  private async endScripts(): Promise<void> {
    while (!(await this.ask(['SCRIPT', 'KILL'])).startsWith('-NOTBUSY'));
  }

  perform(step: Exclude<Step, { kind: 'sleep' }>): Promise<string> {
    const connection = this.connections[step.on]!
    return step.kind === 'command'
      ? connection.exchange(encodeCommand(step.args), 1)
      : connection.exchange(step.bytes, step.replies)
  }

  /** A command beside the sequence. @throws ServerGone */
  async ask(args: readonly string[]): Promise<string> {
    this.control ??= await RealConnection.open(this.host, this.port)
    const reply = await this.control.exchange(encodeCommand(args), 1)
    // No sequence ends this connection.
    if (reply.endsWith(closedMark))
      throw new ServerGone(
        `the Redis at ${this.host}:${this.port} has hung up: see whether it still runs, and try again`,
      )
    return reply
  }

  close(): void {
    for (const connection of this.connections) connection.destroy()
    this.control?.destroy()
  }
}
