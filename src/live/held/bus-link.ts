/** The port at which one Cluster node's bus is reached by the other nodes. */
import net, { type Socket } from 'node:net'
import { bothEnds } from '../proxy/both-ends.ts'
import type { Address } from '../proxy/link-proxy.ts'
import { type BusMessage, BusReader } from './bus-message.ts'
import { LinkServer } from './link-server.ts'

/**
 * Decides which messages pass. Other messages are lost, but nodes send their state again over a new
 * connection.
 */
export interface BusGate {
  /** The name of the node with that id; undefined if it is unknown. */
  nameOf(id: string): string | undefined
  passes(message: BusMessage, to: string): boolean
}

interface Setting {
  /** The destination node. */
  readonly name: string
  readonly to: Address
  readonly rules: BusGate
  /** Gets each message before the decision whether it passes. */
  said(message: BusMessage): void
}

export class BusLink {
  private constructor(private readonly server: LinkServer<BusConnection>) {}

  static async open(setting: Setting): Promise<BusLink> {
    return new BusLink(await LinkServer.open((near) => new BusConnection(near, setting)))
  }

  get port(): number {
    return this.server.port
  }

  /**
   * Ends the connections of that node, or all if null. The node reconnects at its next tick, and
   * both sides send their state.
   */
  end(dialler: string | null): void {
    for (const connection of this.server.connections)
      if (dialler === null || connection.dialler === dialler) connection.destroy()
  }

  close(): Promise<void> {
    return this.server.close()
  }
}

class BusConnection {
  dialler: string | undefined
  readonly closed: Promise<unknown>
  readonly #sockets: readonly Socket[]

  constructor(near: Socket, { name, to, rules, said }: Setting) {
    const far = net.connect(to)
    this.#sockets = [near, far]
    this.closed = bothEnds(this.#sockets)
    for (const socket of this.#sockets) socket.on('close', () => this.destroy())
    const [toNode, toDialler] = [new BusReader(), new BusReader()]
    near.on('data', (bytes: Buffer) => {
      for (const message of toNode.take(bytes)) {
        this.dialler ??= rules.nameOf(message.sender)
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
