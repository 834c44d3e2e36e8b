import { closedMark, encodeCommand, RealConnection, readReply, ServerGone } from 'test-servers'
import type { Step } from './step.ts'
import type { Target } from './target.ts'

/** Parameters that stories set, with their defaults. */
const changedByStories = [
  ...['CONFIG', 'SET', 'requirepass', '', 'maxmemory-policy', 'noeviction'],
  ...['hash-max-listpack-entries', '512', 'hash-max-listpack-value', '64'],
  ...['stream-node-max-entries', '100', 'notify-keyspace-events', '', 'busy-reply-threshold', '5000'],
]

/** A script ends by a command at once, or, where it has written, not at all. */
const endingMs = 5000

/**
 * More than any script of the stories takes that ends by itself, on a machine that is busy with
 * other things.
 */
const busyMs = 60_000

/** Who is no longer busy has sent the reply before it said so. */
const alreadySentMs = 50

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
    await this.endScripts()
    for (const args of [['FLUSHALL'], ['SCRIPT', 'FLUSH'], ['FUNCTION', 'FLUSH'], changedByStories])
      await this.ask(args)
    this.connections = []
    while (this.connections.length < connections) {
      this.connections.push(await this.open())
    }
    return Number(readReply(await this.askOn(this.connections[0]!, ['CLIENT', 'ID']), 0)!.text)
  }

  /**
   * A sequence may have been broken off while its script, or a function, ran. @throws ServerGone
   * where that does not end
   */
  private async endScripts(): Promise<void> {
    const untilMs = performance.now() + endingMs
    while (performance.now() < untilMs) {
      const reply = await this.ask(['SCRIPT', 'KILL'])
      if (reply.startsWith('-NOTBUSY')) return
      if (reply.startsWith('-BUSY')) await this.ask(['FUNCTION', 'KILL'])
    }
    throw this.gone('is busy with a script that cannot be ended')
  }

  async perform(step: Exclude<Step, { kind: 'sleep' }>): Promise<string> {
    const connection = this.connections[step.on]!
    const [bytes, replies] =
      step.kind === 'command' ? ([encodeCommand(step.args), 1] as const) : ([step.bytes, step.replies] as const)
    let received = await connection.exchange(bytes, replies)
    const untilMs = performance.now() + busyMs
    for (let isBusy = true; isBusy && received === '' && replies !== 0 && performance.now() < untilMs; ) {
      isBusy = await this.isBusy()
      received = await connection.exchange('', replies, isBusy ? undefined : alreadySentMs)
    }
    return received
  }

  /**
   * Whether it says of itself that a script runs: a reply that has not come by now may come yet. By
   * a connection of its own: silence is an answer here.
   */
  private async isBusy(): Promise<boolean> {
    const connection = await this.open()
    const reply = await connection.exchange(encodeCommand(['PING']), 1)
    connection.destroy()
    return reply.startsWith('-BUSY')
  }

  /** A command beside the sequence. @throws ServerGone */
  async ask(args: readonly string[]): Promise<string> {
    this.control ??= await this.open()
    return this.askOn(this.control, args)
  }

  /** No sequence ends this connection, or keeps it waiting. */
  private async askOn(connection: RealConnection, args: readonly string[]): Promise<string> {
    const reply = await connection.exchange(encodeCommand(args), 1)
    if (reply.endsWith(closedMark)) throw this.gone('has hung up')
    if (reply === '') throw this.gone('answers no more')
    return reply
  }

  private open(): Promise<RealConnection> {
    return RealConnection.open(this.host, this.port).catch(({ message }: Error) => {
      throw this.gone(`takes no connection (${message})`)
    })
  }

  private gone(how: string): ServerGone {
    return new ServerGone(`the Redis at ${this.host}:${this.port} ${how}`)
  }

  close(): void {
    for (const connection of this.connections) connection.destroy()
    this.control?.destroy()
  }
}
