import net from 'node:net'

/** The bytes of one connection that have come and were not taken. */
interface Carrier {
  readonly socket: net.Socket
  readonly there: Buffer[]
  size: number
}

/**
 * Loopback connections of programs. Their far end is the simulated network; a program names each by its local port, and
 * says how many bytes it has sent, so that the order of everything that it did is known.
 */
export class Carriers {
  readonly #server: net.Server
  readonly #open = new Map<number, Carrier>()
  #news: (() => void)[] = []

  private constructor(server: net.Server) {
    this.#server = server
    server.on('connection', (socket) => this.#add(socket))
  }

  /** Does not keep its process alive. */
  static async listen(): Promise<Carriers> {
    const server = net.createServer({ noDelay: true })
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
    return new Carriers(server.unref())
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port
  }

  #add(socket: net.Socket): void {
    const carrier: Carrier = { socket: socket.unref(), there: [], size: 0 }
    const port = socket.remotePort!
    this.#open.set(port, carrier)
    socket.on('data', (bytes: Buffer) => {
      carrier.there.push(bytes)
      carrier.size += bytes.length
      this.#tell()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      if (this.#open.get(port) === carrier) this.#open.delete(port)
      this.#tell()
    })
    this.#tell()
  }

  #tell(): void {
    for (const news of this.#news.splice(0)) news()
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => this.#news.push(resolve))
  }

  /** When the connection is there; its program has it already. */
  async opened(port: number, gone: () => boolean): Promise<void> {
    while (!this.#open.has(port) && !gone()) await this.#changed()
  }

  /** That many bytes, in latin1; fewer where the program is gone. */
  async take(port: number, bytes: number, gone: () => boolean): Promise<string> {
    const carrier = this.#open.get(port)
    while (carrier !== undefined && carrier.size < bytes && this.#open.get(port) === carrier && !gone())
      await this.#changed()
    if (carrier === undefined) return ''
    const all = carrier.there.length === 1 ? carrier.there[0]! : Buffer.concat(carrier.there)
    carrier.there.length = 0
    const rest = all.subarray(bytes)
    if (rest.length > 0) carrier.there.push(rest)
    carrier.size = rest.length
    return all.toString('latin1', 0, bytes)
  }

  send(port: number, bytes: string): void {
    this.#open.get(port)?.socket.write(bytes, 'latin1')
  }

  drop(port: number): void {
    this.#open.get(port)?.socket.destroy()
  }

  /** Somebody who waits looks again: a program is gone. */
  look(): void {
    this.#tell()
  }
}
