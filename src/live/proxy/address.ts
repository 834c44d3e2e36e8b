import { lookup } from 'node:dns/promises'
import { isIPv6 } from 'node:net'

export interface Address {
  readonly host: string
  readonly port: number
}

/** Of `host:port` or `[host]:port`. Throws what is wrong with it. */
export function parseAddress(text: string): Address {
  const [, bracketed, bare, digits] = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) throw new Error(`address ${text}: must be host:port`)
  return { host: bracketed ?? bare ?? '', port }
}

export function formatAddress({ host, port }: Address): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
}

/** Where to listen. Without a host that is loopback, where Toxiproxy takes every interface. IPv4 before IPv6, as Go does. */
export async function resolveListen(text: string): Promise<Address> {
  const { host, port } = text === '' ? { host: '', port: 0 } : parseAddress(text)
  if (host === '') return { host: '127.0.0.1', port }
  return { host: (await lookup(host, { verbatim: false })).address, port }
}
