/** What a consumer process is to be: its name, its limits, its links, and what of it is watched. */
import type { Plan } from '../contract/plan.ts'
import type { SinkKind } from '../contract/sink.ts'
import type { Armed } from '../run/boundaries.ts'
import { findLibfaketime, type LiveClocks } from './clocks.ts'
import { watchesCommands } from './gates.ts'
import type { SlotLinks } from './live-links.ts'
import type { CreateOrder } from './protocol.ts'
import { redisAddress, type Watched } from './redis-address.ts'
import type { ServerMachine } from './servers/live-server.ts'

interface OrderSetting {
  readonly plan: Plan
  readonly sink: SinkKind
  readonly armed: readonly Armed[]
  readonly access: ServerMachine['access']
  readonly keyPrefix: string | null
  readonly sentinels: Watched | null
  readonly clocks: LiveClocks
  readonly linksOf: (slot: number) => SlotLinks
  /** By process: what it shall draw with `Math.random`; absent where nothing is said. */
  readonly chances: Readonly<Record<string, readonly number[]>> | undefined
  /** The run follows a script. */
  readonly holds: boolean
}

export class CreateOrders {
  constructor(private readonly setting: OrderSetting) {}

  /** For a consumer of that name in the slot. */
  of(slot: number, name: string): CreateOrder {
    const { plan, sink, armed, clocks, linksOf, holds } = this.setting
    const { leaseMs, retentionMs, effectTimeoutMs, work } = plan
    return {
      type: 'create',
      instanceId: name,
      leaseMs,
      retentionMs,
      ...this.redisFor(slot),
      sentinelPorts: holds ? (this.setting.sentinels?.sentinels ?? []).map(({ port }) => port) : [],
      sink: {
        kind: sink,
        url: `http://127.0.0.1:${linksOf(slot).sink.port}`,
        timeoutMs: effectTimeoutMs,
        ...(work === undefined ? {} : { work }),
      },
      watchCommands: watchesCommands(armed, slot),
      holds,
      chances: this.setting.chances?.[name] ?? [],
      shiftsDate: !holds && clocks.known(slot) !== null && findLibfaketime() === null,
    }
  }

  /** Where the slot's processes reach Redis. */
  redisFor(slot: number): Pick<CreateOrder, 'redis' | 'redisPorts' | 'portsTold' | 'keyPrefix'> {
    const { access, keyPrefix, sentinels, linksOf } = this.setting
    const ports = [...linksOf(slot).servers.values()].map(({ port }) => port)
    return redisAddress(access, keyPrefix, ports, sentinels)
  }
}
