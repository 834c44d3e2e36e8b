/** The built-in proxy: links through this process, for machines without Toxiproxy. */
import type { Address, LinkProxy } from './link-proxy.ts'
import { LoopbackLink } from './loopback-link.ts'

export class LoopbackProxy implements LinkProxy {
  readonly forgets = true
  readonly #open = new Set<LoopbackLink>()

  constructor(readonly about = 'built-in proxy') {}

  async openLink(_name: string, to: Address): Promise<LoopbackLink> {
    const link = new LoopbackLink(to, () => this.#open.delete(link))
    this.#open.add(link)
    await link.enable()
    return link
  }

  async isAlive(): Promise<boolean> {
    return true
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((link) => link.close()))
  }
}
