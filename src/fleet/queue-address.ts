import type { RedisOptions } from 'ioredis'
import { FleetProblem } from './fleet-problem.ts'

/** The Redis that holds a fleet's queue. */
export interface QueueAddress {
  /** The address as the user wrote it, without user name and password. */
  readonly shown: string
  readonly options: Pick<RedisOptions, 'host' | 'port' | 'username' | 'password' | 'db' | 'tls'>
}

const form = 'give redis://host:port (rediss:// with TLS, redis://:password@host with a password)'

/** @throws FleetProblem if `text` is not an address of a Redis */
export function readQueueAddress(text: string): QueueAddress {
  const url = URL.canParse(text) ? new URL(text) : null
  const [, db = ''] = /^\/?(\d*)$/.exec(url?.pathname ?? '') ?? [undefined, null]
  if (url === null || db === null || url.hostname === '' || !['redis:', 'rediss:'].includes(url.protocol))
    throw new FleetProblem(`--fleet ${withoutPassword(text)}`, form)
  const { protocol, hostname, port, username, password } = url
  return {
    shown: withoutPassword(text),
    options: {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port || 6379),
      db: Number(db),
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' ? { tls: {} } : {}),
    },
  }
}

function withoutPassword(text: string): string {
  return text.replace(/\/\/[^@/]*@/, '//')
}
