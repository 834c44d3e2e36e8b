import { badBody, errors } from './api-error.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { textOf } from './toxic.ts'
import type { Random } from './toxics/kind.ts'

type Fields = Readonly<Record<string, unknown>>

/** All proxies of one server, by name. */
export class Proxies {
  private readonly proxies = new Map<string, TcpProxy>()

  constructor(private readonly random: Random) {}

  /** Throws `ApiError`. */
  get(name: string): TcpProxy {
    const proxy = this.proxies.get(name)
    if (proxy === undefined) throw errors.proxyNotFound()
    return proxy
  }

  async create(body: Fields): Promise<TcpProxy> {
    const { name, listen, upstream, enabled } = parseProxy(body, '')
    if (this.proxies.has(name)) throw errors.proxyExists()
    const proxy = new TcpProxy(name, listen, upstream, this.random)
    if (enabled) await proxy.start()
    this.proxies.set(name, proxy)
    return proxy
  }

  /** The fields that are not given stay. */
  async update(name: string, body: Fields): Promise<TcpProxy> {
    const proxy = this.get(name)
    await proxy.update({
      listen: textOf(body, 'listen', proxy.listen),
      upstream: textOf(body, 'upstream', proxy.upstream),
      enabled: enabledOf(body, proxy.enabled),
    })
    return proxy
  }

  async remove(name: string): Promise<void> {
    await this.get(name).stop()
    this.proxies.delete(name)
  }

  /**
   * Makes sure that there are such proxies; one with the same addresses is left as it is, toxics and all. Every one is
   * told to `made`, since the first that fails ends it.
   */
  async populate(bodies: readonly Fields[], made: (proxy: TcpProxy) => void): Promise<void> {
    const wanted = bodies.map((body, index) => parseProxy(body, ` at proxy ${index + 1}`))
    for (const { name, listen, upstream, enabled } of wanted) {
      const existing = this.proxies.get(name)
      if (existing !== undefined && !(await existing.differsFrom({ listen, upstream }))) {
        made(existing)
        continue
      }
      await existing?.stop()
      const proxy = new TcpProxy(name, listen, upstream, this.random)
      if (enabled) await proxy.start()
      this.proxies.set(name, proxy)
      made(proxy)
    }
  }

  /** Every proxy enabled, every toxic gone. */
  async reset(): Promise<void> {
    for (const proxy of this.proxies.values()) {
      await proxy.start()
      await proxy.removeAllToxics()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.proxies.values()].map((proxy) => proxy.stop()))
  }

  json(): object {
    return Object.fromEntries([...this.proxies.values()].map((proxy) => [proxy.name, proxy.json()]))
  }
}

function parseProxy(body: Fields, where: string) {
  const name = textOf(body, 'name', '')
  const listen = textOf(body, 'listen', '')
  const upstream = textOf(body, 'upstream', '')
  const enabled = enabledOf(body, true)
  if (name === '') throw errors.missingField(`name${where}`)
  if (upstream === '') throw errors.missingField(`upstream${where}`)
  return { name, listen, upstream, enabled }
}

function enabledOf({ enabled }: Fields, otherwise: boolean): boolean {
  if (enabled === undefined || enabled === null) return otherwise
  if (typeof enabled !== 'boolean') throw badBody('enabled must be true or false')
  return enabled
}
