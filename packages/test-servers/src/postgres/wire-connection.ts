import type { Socket } from 'node:net'
import { connectOwn } from 'virtual-node/own-connection'

/** A message of either side. */
export interface WireMessage {
  readonly type: string
  readonly body: Buffer
}

/** The parameters of the startup message: user, database and settings. */
export type Login = Readonly<Record<string, string>>

export const superuser: Login = { user: 'postgres', database: 'postgres' }

/** One connection to a real PostgreSQL server, message by message (protocol 3.0). */
export class WireConnection {
  #unread = Buffer.alloc(0)
  #heard: (message: WireMessage) => void = () => {}
  #ended: () => void = () => {}

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.#unread = Buffer.concat([this.#unread, chunk])
      this.#read()
    })
    socket.on('close', () => this.#ended())
    // A `close` event follows and reports the end.
    socket.on('error', () => {})
  }

  /**
   * Opens a connection and logs in.
   * @throws Error if nothing listens on the port
   */
  static async open(port: number, login: Login): Promise<WireConnection> {
    const socket = connectOwn('127.0.0.1', port)
    socket.setNoDelay(true)
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    const words = Object.entries(login).flat()
    const body = Buffer.from(`${words.map((word) => `${word}\0`).join('')}\0`)
    const head = Buffer.alloc(8)
    head.writeInt32BE(8 + body.length, 0)
    head.writeInt32BE(196_608, 4)
    socket.write(Buffer.concat([head, body]))
    return new WireConnection(socket)
  }

  /** Must be called immediately after `open`, before the server can have answered. */
  listen(heard: (message: WireMessage) => void, ended: () => void = () => {}): void {
    this.#heard = heard
    this.#ended = ended
  }

  send(messages: readonly WireMessage[]): void {
    const parts = messages.flatMap(({ type, body }) => {
      const head = Buffer.alloc(5)
      head.write(type, 0, 'latin1')
      head.writeInt32BE(4 + body.length, 1)
      return [head, body]
    })
    this.socket.write(Buffer.concat(parts))
  }

  destroy(): void {
    this.socket.destroy()
  }

  #read(): void {
    while (this.#unread.length >= 5) {
      const end = this.#unread.readInt32BE(1) + 1
      if (this.#unread.length < end) return
      const type = String.fromCharCode(this.#unread[0]!)
      const body = this.#unread.subarray(5, end)
      this.#unread = this.#unread.subarray(end)
      this.#heard({ type, body })
    }
  }
}
