import net from 'node:net'

/** The bytes of one connection that have come and were not taken. */
interface BridgedConnection {
  readonly socket: net.Socket
  readonly there: Buffer[]
  size: number
  /** Nothing more will come. */
  closed: boolean
}

/**
 * The loopback bridge of a program: real loopback connections that end in the simulated network. A
 * program names each by its local port, and says how many bytes it has sent, so that the order of
 * everything that it did is known.
 */
export class LoopbackBridge {
  readonly #server: net.Server
  /**
   * By port, until `forget`: one that its program has closed may have bytes that were not taken.
   */
  readonly #known = new Map<number, BridgedConnection>()
  #news: (() => void)[] = []

  private constructor(server: net.Server) {
    this.#server = server
    server.on('connection', (socket) => this.#add(socket))
  }

  /** Does not keep its process alive. */
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

  /** When the connection is there; its program has it already. */
  async opened(port: number, gone: () => boolean): Promise<void> {
    while (!this.#known.has(port) && !gone()) await this.#changed()
  }

  /**
   * That many bytes, in latin1; fewer where the connection is closed and had no more, or `late`
   * says so.
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
   * Its program said that it is closed, or is gone: the port may come to be another connection's.
   */
  forget(port: number): void {
    this.#known.delete(port)
  }

  /** Somebody who waits looks again: a program is gone, or late. */
  look(): void {
    this.#notify()
  }
}
