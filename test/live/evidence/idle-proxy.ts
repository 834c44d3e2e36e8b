/** Sabotage: a proxy that accepts every order and carries out none. */
import { LoopbackLink } from '../../../src/live/proxy/loopback-link.ts'
import { LoopbackProxy } from '../../../src/live/proxy/loopback-proxy.ts'

class IdleLink extends LoopbackLink {
  override block = async () => true
  override unblock = async () => true
  override slow = async () => {}
  override resetNext = async () => async () => {}
  override cut = async () => {}
  override get connections() {
    return []
  }
}

export class IdleProxy extends LoopbackProxy {
  readonly #links: IdleLink[] = []

  override async openLink(_name: string, to: { readonly host: string; readonly port: number }): Promise<LoopbackLink> {
    const link = new IdleLink(to, () => {})
    this.#links.push(link)
    await link.enable()
    return link
  }

  override async close(): Promise<void> {
    await Promise.all(this.#links.map((link) => link.close()))
  }
}
