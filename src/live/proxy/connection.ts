import net, { type Socket } from 'node:net'
import type { Address } from './address.ts'
import { Link } from './link.ts'
import type { Direction, Toxic } from './toxic.ts'
import type { Random } from './toxics/kind.ts'

/** A client's connection and the one to the upstream server that belongs to it, with a link in each direction. */
export class Connection {
  private readonly server: Socket
  /** It began while a toxic was there that makes every end of it a reset. */
  private resets = false
  private links: Readonly<Record<Direction, Link>> | null = null

  /** `toxicsNow` is asked when the upstream server has answered: toxics may have come and gone since the client came. */
  constructor(
    private readonly client: Socket,
    upstream: Address,
    toxicsNow: () => readonly Toxic[],
    random: Random,
    gone: (connection: Connection) => void,
  ) {
    this.server = net.connect({ ...upstream, allowHalfOpen: true })
    this.server.once('connect', () => this.open(toxicsNow(), random))
    const sockets = [client, this.server]
    for (const socket of sockets) {
      socket.setNoDelay(true)
      // Whatever the error was, 'close' follows, and that is what is acted on.
      socket.on('error', () => {})
      socket.on('close', () => {
        // An upstream server that cannot be reached: the client is let go.
        if (this.links === null) client.destroy()
        if (sockets.every((one) => one.closed)) gone(this)
      })
    }
  }

  link(direction: Direction): Link | undefined {
    return this.links?.[direction]
  }

  destroy(): void {
    for (const direction of ['upstream', 'downstream'] as const) this.link(direction)?.stop()
    for (const socket of [this.client, this.server]) {
      if (this.resets) socket.resetAndDestroy()
      else socket.destroy()
    }
  }

  private open(toxics: readonly Toxic[], random: Random): void {
    const { client, server } = this
    this.resets = toxics.some((toxic) => toxic.kind.resets)
    const link = (source: Socket, destination: Socket, direction: Direction) =>
      new Link(
        source,
        destination,
        () => (this.resets ? destination.resetAndDestroy() : destination.destroySoon()),
        random,
        toxics.filter((toxic) => toxic.direction === direction),
      )
    this.links = { upstream: link(client, server, 'upstream'), downstream: link(server, client, 'downstream') }
  }
}
