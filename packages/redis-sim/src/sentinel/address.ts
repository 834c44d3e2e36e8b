import { isIP } from 'node:net'

/**
 * Where an instance listens. Compared as text: nothing resolves names here, a name is its own
 * address.
 */
export interface Address {
  readonly host: string
  readonly port: number
}

export function sameAddress(a: Address, b: Address): boolean {
  return a.port === b.port && sameHost(a.host, b.host)
}

export function sameHost(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase()
}

/** Without resolve-hostnames only IP addresses will do. */
export function isAcceptable({ host, port }: Address, resolveHostnames: boolean): 'yes' | 'host' | 'port' {
  if (port < 0 || port > 65535) return 'port'
  return isIP(host) !== 0 || (resolveHostnames && host !== '') ? 'yes' : 'host'
}

/** As replicas are named: IPv6 addresses in brackets. */
export function addressName({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** The integer with which a text begins, or 0: C's atoi. */
export function leadingInteger(text: string): number {
  return Number.parseInt(text, 10) || 0
}
