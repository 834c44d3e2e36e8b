/** Links through a Toxiproxy that runs, driven by its HTTP API. */
import { LiveProblem } from '../environment/problem.ts'
import type { Address, LinkProxy } from './link-proxy.ts'
import { ToxiproxyLink } from './toxiproxy-link.ts'

interface ToxiproxyOptions {
  readonly about: string
  /**
   * Where the next link listens; its port is one of this machine. Any free port of loopback unless
   * given.
   */
  readonly listen?: () => string
  /** Ends it, where it is ours. */
  readonly close?: () => Promise<void>
}

export class Toxiproxy implements LinkProxy {
  readonly about: string
  /**
   * A `timeout` toxic without a time loses bytes, but of all connections of a link, and of those
   * that come.
   */
  readonly forgets = false
  readonly #listen: () => string
  readonly #close: () => Promise<void>

  /** `url`: of its HTTP API, without a slash at its end. */
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

/** Users install it themselves: it may be missing. */
export const clientPackage = () => import('toxiproxy-node-client')

/** The first version that has `reset_peer`. */
const oldest = '2.2.0'
const orBuiltIn = 'or choose --proxy builtin'

/**
 * The version of a Toxiproxy that runs and has every toxic that links use.
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

/** A Toxiproxy that runs on this machine. @throws LiveProblem, which names `culprit` */
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

/** Whether it answers through one of its links. */
async function sharesLoopback(proxy: Toxiproxy, url: string): Promise<boolean> {
  const { hostname: host, port } = new URL(url)
  const link = await proxy.openLink(`onceproof-${process.pid}-itself`, { host, port: Number(port || 80) })
  try {
    return (await toxiproxyVersion(`http://127.0.0.1:${link.port}`)) !== null
  } finally {
    await link.close()
  }
}

/** A build that was given no version says `git`. */
function isOlder(version: string, than: string): boolean {
  if (version === 'git') return false
  return version.localeCompare(than, 'en', { numeric: true }) < 0
}

/** What a version without an answer is waited for. */
const patienceMs = 3_000

/** `2.9.0`, as text or as JSON by its age, or `git`; null if no Toxiproxy answers. */
export async function toxiproxyVersion(url: string): Promise<string | null> {
  try {
    const answer = await fetch(`${url}/version`, { signal: AbortSignal.timeout(patienceMs) })
    return /^\s*(?:\{\s*"version":\s*)?"?(git|\d+(?:\.\d+)+[\w.-]*)"?\s*\}?\s*$/.exec(await answer.text())?.[1] ?? null
  } catch {
    return null
  }
}
