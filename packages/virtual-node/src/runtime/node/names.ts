/** Name servers of the simulated world: they know only the addresses of its hosts (IPv4). */
import dns from 'node:dns'
import net from 'node:net'
import type { VirtualProcess } from '../process.ts'
import { refuse } from './refuse.ts'
import { replaceFunction } from './replace.ts'

type Done = (error: Error | null, addresses?: unknown) => void

const nameServers = () => ['127.0.0.1']

/** In the form of c-ares and Node: `queryA ENOTFOUND nobody`. */
function queryError(syscall: string, code: string, hostname: string): Error {
  return Object.assign(new Error(`${syscall} ${code} ${hostname}`), { errno: undefined, code, syscall, hostname })
}

/** @throws the errors of Node */
function addressesOf(process: VirtualProcess, hostname: string, family: 4 | 6, ttl: boolean): unknown[] {
  const syscall = family === 4 ? 'queryA' : 'queryAaaa'
  const address = net.isIP(hostname) !== 0 ? hostname : process.host.resolve(hostname)
  if (address === null) throw queryError(syscall, 'ENOTFOUND', hostname)
  if (net.isIP(address) !== family) throw queryError(syscall, 'ENODATA', hostname)
  return [ttl ? { address, ttl: 60 } : address]
}

type Ask = (process: VirtualProcess, hostname: string, options: unknown) => unknown[]

const wantsTtl = (options: unknown) => (options as { ttl?: boolean } | null | undefined)?.ttl === true

const asks = (place: string): Readonly<Record<string, Ask>> => ({
  resolve4: (process, hostname, options) => addressesOf(process, hostname, 4, wantsTtl(options)),
  resolve6: (process, hostname, options) => addressesOf(process, hostname, 6, wantsTtl(options)),
  resolve(process, hostname, type) {
    const family = type === 'AAAA' ? 6 : 4
    if (typeof type === 'string' && type !== 'A' && type !== 'AAAA') refuse(`${place}.resolve of ${type} records`)
    return addressesOf(process, hostname, family, false)
  },
})

function withCallbacks(owner: object, place: string): void {
  for (const [name, ask] of Object.entries(asks(place)))
    replaceFunction(owner, name, (process, hostname: string, ...rest: unknown[]) => {
      const done = rest.at(-1) as Done
      const options = rest.length > 1 ? rest[0] : undefined
      let answer: () => void
      try {
        const addresses = ask(process, hostname, options)
        answer = () => done(null, addresses)
      } catch (error) {
        if ((error as { code?: string }).code === 'ERR_NOT_SIMULATED') throw error
        answer = () => done(error as Error)
      }
      process.callBack(answer)
    })
}

function withPromises(owner: object, place: string): void {
  for (const [name, ask] of Object.entries(asks(place)))
    replaceFunction(
      owner,
      name,
      (process, hostname: string, options?: unknown) =>
        new Promise((resolve, reject) => {
          const addresses = answerOf(() => ask(process, hostname, options))
          process.schedule(0, () => ('error' in addresses ? reject(addresses.error) : resolve(addresses.value)))
        }),
    )
}

function answerOf<T>(ask: () => T): { value: T } | { error: unknown } {
  try {
    return { value: ask() }
  } catch (error) {
    return { error }
  }
}

export function installNames(): void {
  withCallbacks(dns, 'dns')
  withCallbacks(dns.Resolver.prototype, 'dns.Resolver')
  withPromises(dns.promises, 'dns.promises')
  withPromises(dns.promises.Resolver.prototype, 'dns.promises.Resolver')
  for (const owner of [dns, dns.promises]) {
    replaceFunction(owner, 'getServers', nameServers)
    replaceFunction(owner, 'getDefaultResultOrder', () => 'verbatim')
    // The world's names have one address each.
    replaceFunction(owner, 'setDefaultResultOrder', () => undefined)
  }
  for (const { prototype } of [dns.Resolver, dns.promises.Resolver])
    for (const owner of [prototype, Object.getPrototypeOf(prototype) as object])
      replaceFunction(owner, 'getServers', nameServers)
  for (const name of ['setDefaultAutoSelectFamily', 'setDefaultAutoSelectFamilyAttemptTimeout'])
    replaceFunction(net, name, () => undefined)
}
