/** An environment with PostgreSQL servers, with or without Redis. */
import type { LiveEnvironment, Servers } from '../environment/environment.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import { LoopbackProxy } from '../proxy/loopback-proxy.ts'
import type { PostgresHost } from './postgres-machine.ts'

/**
 * An environment for layers that do not request Redis. `where`: the place of the servers, such as
 * `local`.
 */
export function withoutRedis(where: string, proxy: LinkProxy): LiveEnvironment {
  return {
    about: `${where}: ${proxy.about}`,
    redisProxy: proxy,
    sinkProxy: proxy,
    endsInTurn: proxy instanceof LoopbackProxy,
    shapes: ['single'],
    refuses: () => 'the layer has no Redis',
    keyPrefix: null,
    startServers: async () => noServers,
    startHeld: null,
    close: () => proxy.close(),
  }
}

const noServers: Servers = { machine: null, close: async () => {} }

/** An environment that refuses all faults of PostgreSQL. */
export function withoutPostgres(base: LiveEnvironment): LiveEnvironment {
  return {
    ...base,
    refuses: (power, of) => (of === 'postgres' ? 'the layer has no PostgreSQL' : base.refuses(power, of)),
  }
}

export function withPostgres(base: LiveEnvironment, host: PostgresHost): LiveEnvironment {
  return {
    ...base,
    about: `${base.about}, ${host.about}`,
    refuses: (power, of) => (of === 'postgres' ? host.refuses(power) : base.refuses(power, of)),
    async startServers(shape, wish) {
      const first = wish.stores.includes('redis') ? await base.startServers(shape, wish) : noServers
      if (!wish.stores.includes('postgres')) return first
      try {
        const postgres = await host.start(wish.postgres)
        const close = async () => {
          try {
            await postgres.close()
          } finally {
            await first.close()
          }
        }
        return { ...first, postgres, close }
      } catch (error) {
        await first.close()
        throw error
      }
    },
    async close() {
      try {
        await host.close()
      } finally {
        await base.close()
      }
    },
  }
}
