/**
 * The port at which one machine of a deployment is reached by the others, in a run that follows a
 * schedule.
 */
import type { Address } from '../proxy/link-proxy.ts'
import { HeldConnection, type Setting } from './held-connection.ts'
import { LinkServer } from './link-server.ts'

export class HeldLink {
  private constructor(private readonly server: LinkServer<HeldConnection>) {}

  static async open(setting: Setting): Promise<HeldLink> {
    return new HeldLink(await LinkServer.open((near) => new HeldConnection(near, setting)))
  }

  get address(): Address {
    return { host: '127.0.0.1', port: this.server.port }
  }

  passOn(): void {
    for (const connection of this.server.connections) connection.passOn()
  }

  close(): Promise<void> {
    return this.server.close()
  }
}
