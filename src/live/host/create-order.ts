/**
 * Builds the order that creates a consumer: its name, limits and links, and which of its traffic is
 * watched.
 */
import type { Plan } from '../../contract/api/plan.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import type { Armed } from '../../run/boundaries.ts'
import type { ServerMachine } from '../servers/live-server.ts'
import { redisAddress, type Watched } from '../stores/redis-address.ts'
import type { LiveSite } from '../stores/store-site.ts'
import { findLibfaketime, type LiveClocks } from './clocks.ts'
import { watchesCommands } from './gates.ts'
import type { SlotLinks } from './live-links.ts'
import type { CreateOrder, StoreLinks } from './protocol.ts'

interface OrderSetting {
  readonly plan: Plan
  readonly sink: SinkKind
  readonly armed: readonly Armed[]
  /** How to log in to Redis; null if there is no Redis. */
  readonly access: ServerMachine['access'] | null
  readonly keyPrefix: string | null
  /** The servers of a deployment; null if there is only one server. */
  readonly several: Watched | null
  readonly clocks: LiveClocks
  readonly linksOf: (slot: number) => SlotLinks
  /** The values that `Math.random` returns in each process. Absent if nothing is prescribed. */
  readonly chances: Readonly<Record<string, readonly number[]>> | undefined
  /** The stores other than Redis, by the names of their servers. */
  readonly sites: ReadonlyMap<string, Pick<LiveSite, 'addresses'>>
  /** True if the run follows a schedule. */
  readonly holds: boolean
}

export class CreateOrders {
  constructor(private readonly setting: OrderSetting) {}

  /** The order for a consumer of that name in the slot. */
  of(slot: number, name: string): CreateOrder {
    const { plan, sink, armed, clocks, linksOf, holds } = this.setting
    const { leaseMs, retentionMs, effectMs, effectTimeoutMs, work, results } = plan
    return {
      type: 'create',
      instanceId: name,
      leaseMs,
      retentionMs,
      ...this.storesFor(slot),
      sentinelPorts: holds ? (this.setting.several?.sentinels ?? []).map(({ port }) => port) : [],
      sink: {
        kind: sink,
        url: `http://127.0.0.1:${linksOf(slot).sink.port}`,
        timeoutMs: effectTimeoutMs,
        effectMs,
        ...(results === undefined ? {} : { results }),
        ...(work === undefined ? {} : { work }),
      },
      watchCommands: watchesCommands(armed, slot),
      holds,
      chances: this.setting.chances?.[name] ?? [],
      shiftsDate: !holds && clocks.known(slot) !== null && findLibfaketime() === null,
    }
  }

  /** The addresses at which the slot's processes reach their stores. */
  storesFor(slot: number): StoreLinks {
    const { sites, linksOf } = this.setting
    const others = [...sites].map(([name, site]) => {
      const { port } = linksOf(slot).servers.get(name)!
      return { port, addresses: site.addresses(port) }
    })
    return {
      ...this.#redisFor(slot),
      stores: Object.assign({}, ...others.map(({ addresses }) => addresses)),
      postgresPorts: others.flatMap(({ port, addresses }) => (addresses.postgres === undefined ? [] : [port])),
    }
  }

  #redisFor(slot: number): Pick<CreateOrder, 'redis' | 'redisPorts' | 'portsReported' | 'keyPrefix'> {
    const { access, keyPrefix, several, sites, linksOf } = this.setting
    if (access === null) return { redisPorts: [], portsReported: [], keyPrefix }
    const ports = [...linksOf(slot).servers].flatMap(([name, { port }]) => (sites.has(name) ? [] : [port]))
    return redisAddress(access, keyPrefix, ports, several)
  }
}
