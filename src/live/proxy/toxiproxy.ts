/** Links through a Toxiproxy that runs, driven by its HTTP API. */
import { LiveProblem } from '../environment/problem.ts'
import type { Address, LinkProxy } from './link-proxy.ts'
import { ToxiproxyLink } from './toxiproxy-link.ts'

interface ToxiproxyOptions {
  readonly about: string
  /** Where the next link listens; its port is one of this machine. Any free port of loopback unless given. */
  readonly listen?: () => string
  /** Ends it, where it is ours. */
  readonly close?: () => Promise<void>
}

export class Toxiproxy implements LinkProxy {
  readonly about: string
  /** A `timeout` toxic without a time loses bytes, but of all connections of a link, and of those that come. */
  readonly forgets = false
  readonly #listen: () => string
  readonly #close: () => Promise<void>

  /** `url`: of its HTTP API, without a slash at its end. */
  constructor(
    private readonly url: string,
    { about, listen, close }: ToxiproxyOptions,
  ) {
    this.about = about
    this.#listen = listen ?? (() => '127.0.0.1:0')
    this.#close = close ?? (async () => {})
  }

  async openLink(name: string, { host, port }: Address): Promise<ToxiproxyLink> {
    const wanted = { name, listen: this.#listen(), upstream: `${host}:${port}`, enabled: true }
    const client = new (await clientPackage()).Toxiproxy(this.url)
    const proxy = await client.createProxy(wanted).catch((error: Error) => {
      throw new LiveProblem('the proxy', `it does not take a listener (${error.message}); see whether it still runs`)
    })
    return new ToxiproxyLink(proxy)
  }

  async isAlive(): Promise<boolean> {
    return (await toxiproxyVersion(this.url)) !== null
  }

  close(): Promise<void> {
    return this.#close()
  }
}

/** Users install it themselves: it may be missing. */
export const clientPackage = () => import('toxiproxy-node-client')

/** `2.9.0`, which it says as text or as JSON, by its age; null if it does not answer. */
export async function toxiproxyVersion(url: string): Promise<string | null> {
  try {
    const answer = await fetch(`${url}/version`)
    const text = await answer.text()
    return /\d+(\.\d+)+[\w.-]*/.exec(text)?.[0] ?? text
  } catch {
    return null
  }
}
