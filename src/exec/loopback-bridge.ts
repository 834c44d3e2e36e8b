import net from 'node:net'

/** A connection, with the bytes that have arrived and that `take` has not returned yet. */
interface BridgedConnection {
  readonly socket: net.Socket
  readonly there: Buffer[]
  size: number
  /** True if no more bytes will arrive. */
  closed: boolean
}

/**
 * The loopback bridge of a program: it accepts real loopback connections and forwards their bytes
 * to the simulated network. A program identifies each connection by its local port, and reports how
 * many bytes it has sent, so that the order of all its actions is known.
 */
export class LoopbackBridge {
  readonly #server: net.Server
  /**
   * The connections by port. A connection stays here until `forget`, because one that its program
   * has closed may still have bytes for `take`.
   */
  readonly #known = new Map<number, BridgedConnection>()
  #news: (() => void)[] = []

  private constructor(server: net.Server) {
    this.#server = server
    server.on('connection', (socket) => this.#add(socket))
  }

  /** Starts a bridge. Its server does not keep the process alive. */
  static async listen(): Promise<LoopbackBridge> {
    const server = net.createServer({ noDelay: true })
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
    return new LoopbackBridge(server.unref())
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port
  }

  #add(socket: net.Socket): void {
    const connection: BridgedConnection = { socket: socket.unref(), there: [], size: 0, closed: false }
    this.#known.set(socket.remotePort!, connection)
    socket.on('data', (bytes: Buffer) => {
      connection.there.push(bytes)
      connection.size += bytes.length
      this.#notify()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      connection.closed = true
      this.#notify()
    })
    this.#notify()
  }

  #notify(): void {
    for (const news of this.#news.splice(0)) news()
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => this.#news.push(resolve))
  }

  /**
   * Resolves when the bridge has accepted the connection, which the program has already opened, or
   * `gone` returns true.
   */
  async opened(port: number, gone: () => boolean): Promise<void> {
    while (!this.#known.has(port) && !gone()) await this.#changed()
  }

  /**
   * Removes and returns this number of bytes, in latin1; fewer if the connection closed earlier, or
   * `late` returns true.
   */
  async take(port: number, bytes: number, late: () => boolean): Promise<string> {
    const connection = this.#known.get(port)
    if (connection === undefined) return ''
    while (connection.size < bytes && !connection.closed && !late()) await this.#changed()
    const all = connection.there.length === 1 ? connection.there[0]! : Buffer.concat(connection.there)
    connection.there.length = 0
    const rest = all.subarray(bytes)
    if (rest.length > 0) connection.there.push(rest)
    connection.size = rest.length
    return all.toString('latin1', 0, bytes)
  }

  send(port: number, bytes: string): void {
    this.#known.get(port)?.socket.write(bytes, 'latin1')
  }

  /**
   * Called when the program has closed the connection or has ended. The port may then be used for
   * another connection.
   */
  forget(port: number): void {
    this.#known.delete(port)
  }

  /** Makes waiting calls check again, because a program has ended or is late. */
  look(): void {
    this.#notify()
  }
}
