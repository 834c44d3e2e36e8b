/** The clients by which a layer can connect to one server. */
import type { RedisAt } from '../../src/impl/once.ts'

type Open = (port: number) => Promise<RedisAt>

const url = (port: number) => ({ url: `redis://127.0.0.1:${port}` })

export const over: Readonly<Record<'ioredis' | 'node-redis 4' | 'node-redis 5' | 'node-redis 6', Open>> = {
  ioredis: async (port) => ({ host: '127.0.0.1', port }),
  'node-redis 4': async (port) => (await import('redis4')).createClient(url(port)),
  'node-redis 5': async (port) => (await import('redis5')).createClient(url(port)),
  'node-redis 6': async (port) => (await import('redis')).createClient(url(port)),
}
