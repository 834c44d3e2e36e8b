/** Where one machine of a deployment is reached by the others, in a run that follows a script. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Address } from '../proxy/link-proxy.ts'
import { HeldConnection, type Setting } from './held-connection.ts'

export class HeldLink {
  readonly #server: Server
  readonly #connections = new Set<HeldConnection>()

  private constructor(setting: Setting) {
    this.#server = createServer((near) => {
      const connection = new HeldConnection(near, setting)
      this.#connections.add(connection)
      void connection.closed.then(() => this.#connections.delete(connection))
    })
  }

  static async open(setting: Setting): Promise<HeldLink> {
    const link = new HeldLink(setting)
    link.#server.listen(0, '127.0.0.1')
    await once(link.#server, 'listening')
    return link
  }

  get address(): Address {
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port }
  }

  passOn(): void {
    for (const connection of this.#connections) connection.passOn()
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    await Promise.all([closed, ...[...this.#connections].map((connection) => connection.destroy())])
  }
}
