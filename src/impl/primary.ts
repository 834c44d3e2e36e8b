/** Finds the server that is responsible for a key, and dials it. */
import { type Cluster, Command } from 'ioredis'
import { isCluster } from './redis-at.ts'
import type { ConnectionOptions, ServerClient } from './server-client.ts'

export interface Primary {
  /** Distinguishes the primaries of one client. */
  readonly name: string
  /**
   * Returns a separate client that is not connected yet. With Sentinels, it later connects to the
   * server that is then the primary.
   */
  dial(own: ConnectionOptions): ServerClient
}

/** The primary of the key as far as the client knows; undefined while it knows none. */
export function primaryOf(client: ServerClient | Cluster, redisKey: string): Primary | undefined {
  if (!isCluster(client)) return { name: 'primary', dial: (own) => client.duplicate({ ...own, lazyConnect: true }) }
  const { keyPrefix = '' } = client.options
  const slot = new Command('get', [redisKey], { keyPrefix }).getSlot()
  const name = slot === null ? undefined : client.slots[slot]?.[0]
  const node = client.nodes('master').find(({ options }) => `${options.host}:${options.port}` === name)
  return node && { name: name!, dial: (own) => node.duplicate({ ...own, lazyConnect: true }) }
}
