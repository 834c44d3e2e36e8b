import { type Login, WireConnection, type WireMessage } from './wire-connection.ts'

const flush: WireMessage = { type: 'H', body: Buffer.alloc(0) }

/**
 * One session of a real server. An exchange ends when the server sends one of the message types
 * that end it.
 */
export class RealSession {
  /** Received messages that were not processed yet. */
  heard: WireMessage[] = []
  processId = 0
  /** True if the last exchange has not ended: the session executes or waits. */
  isPending = true
  /** True after an error: the server ignores all messages until Sync. */
  #skips = false
  #ends = 'Z'
  #changed: () => void = () => {}

  private constructor(private readonly connection: WireConnection) {}

  /** Resolves once the session is ready or was refused. */
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

  /** Sends a simple query, or messages up to Sync. The exchange ends with ReadyForQuery. */
  ask(messages: readonly WireMessage[]): void {
    this.#skips = false
    this.#send(messages, 'Z')
  }

  /**
   * Sends messages of the extended protocol. `ends`: the types of messages that end the answer to
   * the last one.
   */
  askExtended(messages: readonly WireMessage[], ends: string): void {
    if (!this.#skips) this.#send([...messages, flush], `${ends}E`)
  }

  /** Resolves with the next message that ends an exchange. */
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
    // The server buffers its answers until a Flush, even those that precede an execution that
    // waits.
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
