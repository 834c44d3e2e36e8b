/**
 * The layer of `marker.ts` with an ioredis client. All major versions of ioredis, and its forks,
 * have the methods that it calls.
 */
import type { Implementation } from 'onceproof'
import { markerLayer } from './marker.ts'

interface IoredisLike {
  on(event: 'error', listener: () => void): unknown
  set(key: string, value: string, ...options: (string | number)[]): Promise<string | null>
  get(key: string): Promise<string | null>
  disconnect(): void
}

export function ioredisMarker(id: string, Client: new (options: object) => IoredisLike): Implementation {
  return markerLayer(id, async ({ options }) => {
    const client = new Client(options)
    client.on('error', () => {})
    return {
      set: (key, value, { NX, PX }) => client.set(key, value, 'PX', PX, ...(NX ? ['NX'] : [])),
      get: (key) => client.get(key),
      close: () => client.disconnect(),
    }
  })
}
