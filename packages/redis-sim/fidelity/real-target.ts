import { closedMark, encodeCommand, RealConnection, readReply, ServerGone } from 'test-servers'
import type { Step } from './step.ts'
import type { Target } from './target.ts'

/** The command that restores the defaults of the parameters that hand-written sequences change. */
const changedByStories = [
  ...['CONFIG', 'SET', 'requirepass', '', 'maxmemory-policy', 'noeviction'],
  ...['hash-max-listpack-entries', '512', 'hash-max-listpack-value', '64'],
  ...['stream-node-max-entries', '100', 'notify-keyspace-events', '', 'busy-reply-threshold', '5000'],
]

/**
 * Milliseconds to wait for the end of a killed script. A kill ends a script at once or, if the
 * script has written, never.
 */
const endingMs = 5000

/**
 * Milliseconds to wait for a script. Every terminating script of the sequences takes less time,
 * even on a busy machine.
 */
const busyMs = 60_000

/**
 * Milliseconds to wait for the reply of a script after the server is no longer busy. By then, the
 * server has already sent the reply.
 */
const alreadySentMs = 50

/** Real Redis over plain TCP, without a client library. */
export class RealTarget implements Target {
  private connections: RealConnection[] = []
  private control: RealConnection | undefined

  constructor(
    private readonly host: string,
    private readonly port: number,
  ) {}

  /** Returns the server's id of the first connection. The ids of the other connections follow. */
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
   * Ends a script or function that an aborted sequence left running. @throws ServerGone if it does
   * not end
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
   * True if the server reports that a script is running, so that an awaited reply may still arrive.
   * The query uses a new connection, so that its reply is not confused with the awaited reply.
   */
  private async isBusy(): Promise<boolean> {
    const connection = await this.open()
    const reply = await connection.exchange(encodeCommand(['PING']), 1)
    connection.destroy()
    return reply.startsWith('-BUSY')
  }

  /** Executes a command that does not belong to the sequence. @throws ServerGone */
  async ask(args: readonly string[]): Promise<string> {
    this.control ??= await this.open()
    return this.askOn(this.control, args)
  }

  /** Executes a command on a connection that no sequence closes or blocks. */
  private async askOn(connection: RealConnection, args: readonly string[]): Promise<string> {
    const reply = await connection.exchange(encodeCommand(args), 1)
    if (reply.endsWith(closedMark)) throw this.gone('has closed the connection')
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
