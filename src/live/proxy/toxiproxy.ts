/** Links through a Toxiproxy that runs, driven by its HTTP API. */
import { Toxiproxy as ToxiproxyClient } from 'toxiproxy-node-client'
import { LiveProblem } from '../problem.ts'
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
  readonly #client: ToxiproxyClient
  readonly #listen: () => string
  readonly #close: () => Promise<void>

  /** `url`: of its HTTP API, without a slash at its end. */
  constructor(url: string, { about, listen, close }: ToxiproxyOptions) {
    this.about = about
    this.#client = new ToxiproxyClient(url)
    this.#listen = listen ?? (() => '127.0.0.1:0')
    this.#close = close ?? (async () => {})
  }

  async openLink(name: string, { host, port }: Address): Promise<ToxiproxyLink> {
    const wanted = { name, listen: this.#listen(), upstream: `${host}:${port}`, enabled: true }
    const proxy = await this.#client.createProxy(wanted).catch((error: Error) => {
      throw new LiveProblem('the proxy', `it does not take a listener (${error.message}); see whether it still runs`)
    })
    return new ToxiproxyLink(proxy)
  }

  async isAlive(): Promise<boolean> {
    return (await versionAt(this.#client)) !== null
  }

  close(): Promise<void> {
    return this.#close()
  }
}

/** `2.9.0`; null where nobody answers. */
export function toxiproxyVersion(url: string): Promise<string | null> {
  return versionAt(new ToxiproxyClient(url))
}

/** It says so as text or as JSON, by its age. */
async function versionAt(client: ToxiproxyClient): Promise<string | null> {
  try {
    const text = await client.getVersion()
    return /\d+(\.\d+)+[\w.-]*/.exec(typeof text === 'string' ? text : JSON.stringify(text))?.[0] ?? String(text)
  } catch {
    return null
  }
}
