/** A loopback port with its accepted connections. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

interface Taken {
  readonly closed: Promise<unknown>
  destroy(): void
}

export class LinkServer<Connection extends Taken> {
  readonly connections = new Set<Connection>()
  readonly #server: Server

  private constructor(take: (near: Socket) => Connection) {
    this.#server = createServer((near) => {
      const connection = take(near)
      this.connections.add(connection)
      void connection.closed.then(() => this.connections.delete(connection))
    })
  }

  static async open<Connection extends Taken>(take: (near: Socket) => Connection): Promise<LinkServer<Connection>> {
    const link = new LinkServer(take)
    link.#server.listen(0, '127.0.0.1')
    await once(link.#server, 'listening')
    return link
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const connection of this.connections) connection.destroy()
    await Promise.all([closed, ...[...this.connections].map((connection) => connection.closed)])
  }
}
