/** Links through a running Toxiproxy, by its HTTP API. */
import { LiveProblem } from '../environment/problem.ts'
import type { Address, LinkProxy } from './link-proxy.ts'
import { ToxiproxyLink } from './toxiproxy-link.ts'

interface ToxiproxyOptions {
  readonly about: string
  /**
   * Returns the next link's listen address on this machine. Absent: links listen on any free
   * loopback port.
   */
  readonly listen?: () => string
  /** Ends the proxy. Absent if the harness did not start it. */
  readonly close?: () => Promise<void>
}

export class Toxiproxy implements LinkProxy {
  readonly about: string
  /**
   * Always false, because a `timeout` toxic with timeout 0 loses bytes on all connections of a
   * link, including later ones.
   */
  readonly forgets = false
  readonly #listen: () => string
  readonly #close: () => Promise<void>

  /** `url`: the URL of Toxiproxy's HTTP API, without a trailing slash. */
  constructor(
    readonly url: string,
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
      throw new LiveProblem('the proxy', `it refused a listener (${error.message}); check that it still runs`)
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

/** Loads the client, which may be missing because users install it themselves. */
export const clientPackage = () => import('toxiproxy-node-client')

/** The first version that has `reset_peer`. */
const oldest = '2.2.0'
const orBuiltIn = 'or choose --proxy builtin'

/**
 * The version of a running Toxiproxy that has all toxics that links use.
 * @throws LiveProblem, which names `culprit`
 */
export async function usableVersion(url: string, culprit: string): Promise<string> {
  const version = await toxiproxyVersion(url)
  if (version === null) throw new LiveProblem(culprit, `no Toxiproxy answers at ${url}; start it, ${orBuiltIn}`)
  if (isOlder(version, oldest))
    throw new LiveProblem(
      culprit,
      `Toxiproxy ${version} resets no connections; install ${oldest} or newer, ${orBuiltIn}`,
    )
  return version
}

/**
 * Connects to a Toxiproxy that runs on this machine.
 * @throws LiveProblem, which names `culprit`
 */
export async function toxiproxyAt(url: string, culprit: string, close?: () => Promise<void>): Promise<Toxiproxy> {
  await clientPackage()
  const version = await usableVersion(url, culprit)
  const proxy = new Toxiproxy(url, { about: `Toxiproxy ${version}`, ...(close && { close }) })
  if (await sharesLoopback(proxy, url)) return proxy
  throw new LiveProblem(
    culprit,
    `its listeners are not on the loopback of this machine; use the host network, ${orBuiltIn}`,
  )
}

/** True if the API of the Toxiproxy answers through one of the Toxiproxy's links. */
async function sharesLoopback(proxy: Toxiproxy, url: string): Promise<boolean> {
  const { hostname: host, port } = new URL(url)
  const link = await proxy.openLink(`onceproof-${process.pid}-itself`, { host, port: Number(port || 80) })
  try {
    return (await toxiproxyVersion(`http://127.0.0.1:${link.port}`)) !== null
  } finally {
    await link.close()
  }
}

/** True if the version is older. A build without a version reports `git`, which counts as new. */
function isOlder(version: string, than: string): boolean {
  if (version === 'git') return false
  return version.localeCompare(than, 'en', { numeric: true }) < 0
}

/** The maximum wait for the version. */
const patienceMs = 3_000

/**
 * The version, such as `2.9.0`, or `git`; null if no Toxiproxy answers. Toxiproxy returns it as
 * text or JSON, depending on the version.
 */
export async function toxiproxyVersion(url: string): Promise<string | null> {
  try {
    const answer = await fetch(`${url}/version`, { signal: AbortSignal.timeout(patienceMs) })
    return /^\s*(?:\{\s*"version":\s*)?"?(git|\d+(?:\.\d+)+[\w.-]*)"?\s*\}?\s*$/.exec(await answer.text())?.[1] ?? null
  } catch {
    return null
  }
}
