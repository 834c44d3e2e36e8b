import { isIP } from 'node:net'

/** The address of an instance. Addresses are compared as text, because names are not resolved. */
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

/**
 * Returns `yes`, or the invalid part. Without resolve-hostnames, only IP addresses are accepted as
 * hosts.
 */
export function isAcceptable({ host, port }: Address, resolveHostnames: boolean): 'yes' | 'host' | 'port' {
  if (port < 0 || port > 65535) return 'port'
  return isIP(host) !== 0 || (resolveHostnames && host !== '') ? 'yes' : 'host'
}

/** The name of a replica; IPv6 addresses are in brackets. */
export function addressName({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** The integer at the start of a text, or 0, like C's atoi. */
export function leadingInteger(text: string): number {
  return Number.parseInt(text, 10) || 0
}
