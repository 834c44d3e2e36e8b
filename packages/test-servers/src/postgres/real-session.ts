import { type Login, WireConnection, type WireMessage } from './wire-connection.ts'

const flush: WireMessage = { type: 'H', body: Buffer.alloc(0) }

/**
 * One session of a real server: a message is sent, and is over when the server has said one of
 * those that end it.
 */
export class RealSession {
  /** What the server said and nobody has taken. */
  heard: WireMessage[] = []
  processId = 0
  /** What was sent last is not over: the session executes, or waits. */
  isPending = true
  /** An error came: all is ignored up to Sync. */
  #skips = false
  #ends = 'Z'
  #changed: () => void = () => {}

  private constructor(private readonly connection: WireConnection) {}

  /** Resolves once it can be asked, or was refused. */
  static async open(port: number, login: Login): Promise<RealSession> {
    const connection = await WireConnection.open(port, login)
    const session = new RealSession(connection)
    connection.listen(
      (message) => session.#take(message),
      () => session.#over(),
    )
    while (session.isPending) await session.change()
    return session
  }

  /** A simple query, or messages up to Sync: over when the server is ready for the next one. */
  ask(messages: readonly WireMessage[]): void {
    this.#skips = false
    this.#send(messages, 'Z')
  }

  /**
   * Messages of the extended protocol, with the types of messages one of which ends the answer to
   * the last.
   */
  askExtended(messages: readonly WireMessage[], ends: string): void {
    if (!this.#skips) this.#send([...messages, flush], `${ends}E`)
  }

  /** Resolves with the next thing that it says. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve
    })
  }

  destroy(): void {
    this.connection.destroy()
  }

  #send(messages: readonly WireMessage[], ends: string): void {
    this.isPending = true
    this.#ends = ends
    // The server keeps what it has to say until it is told not to: also what came before an
    // execution that waits.
    this.connection.send(messages.flatMap((one) => (one.type === 'E' ? [flush, one] : [one])))
  }

  #take(message: WireMessage): void {
    const { type, body } = message
    this.heard.push({ type, body: Buffer.from(body) })
    if (type === 'K') this.processId = body.readInt32BE(0)
    if (type === 'E' && this.#ends !== 'Z') this.#skips = true
    if (this.#ends.includes(type)) this.#over()
  }

  #over(): void {
    this.isPending = false
    this.#changed()
  }
}
