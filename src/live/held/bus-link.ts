/** Where the other nodes of a Cluster reach one node's bus, in a run that follows a script. */
import { once } from 'node:events'
import net, { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Address } from '../proxy/link-proxy.ts'
import { type BusMessage, BusReader } from './bus-message.ts'
import type { BusRules } from './bus-rules.ts'

interface Setting {
  /** The node that is dialled. */
  readonly name: string
  readonly to: Address
  readonly rules: BusRules
  /** The server of that id; undefined for a stranger. */
  nameOf(id: string): string | undefined
  /** Hears each message, before it is known whether it passes. */
  said(message: BusMessage): void
}

export class BusLink {
  readonly #server: Server
  readonly #connections = new Set<BusConnection>()

  private constructor(setting: Setting) {
    this.#server = createServer((near) => {
      const connection = new BusConnection(near, setting)
      this.#connections.add(connection)
      void connection.closed.then(() => this.#connections.delete(connection))
    })
  }

  static async open(setting: Setting): Promise<BusLink> {
    const link = new BusLink(setting)
    link.#server.listen(0, '127.0.0.1')
    await once(link.#server, 'listening')
    return link
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Connections of that node end; of all where it is null. It dials again at its next tick, and both say how they are. */
  end(dialler: string | null): void {
    for (const connection of this.#connections)
      if (dialler === null || connection.dialler === dialler) connection.destroy()
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.end(null)
    await Promise.all([closed, ...[...this.#connections].map((connection) => connection.closed)])
  }
}

class BusConnection {
  dialler: string | undefined
  readonly closed: Promise<unknown>
  readonly #sockets: readonly Socket[]

  constructor(near: Socket, { name, to, rules, nameOf, said }: Setting) {
    const far = net.connect(to)
    this.#sockets = [near, far]
    this.closed = Promise.all(
      this.#sockets.map((one) => new Promise<void>((resolve) => one.once('close', () => resolve()))),
    )
    for (const socket of this.#sockets) {
      socket.setNoDelay(true)
      // 'close' follows every error.
      socket.on('error', () => {})
      socket.on('close', () => this.destroy())
    }
    const [toNode, toDialler] = [new BusReader(), new BusReader()]
    near.on('data', (bytes: Buffer) => {
      for (const message of toNode.take(bytes)) {
        this.dialler ??= nameOf(message.sender)
        said(message)
        if (rules.passes(message, name)) far.write(message.bytes)
      }
    })
    far.on('data', (bytes: Buffer) => {
      for (const message of toDialler.take(bytes)) {
        said(message)
        if (this.dialler === undefined || rules.passes(message, this.dialler)) near.write(message.bytes)
      }
    })
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
