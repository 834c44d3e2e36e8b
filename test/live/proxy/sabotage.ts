/**
 * Proxies that ignore one order of a link, each with the cases of the contract that must detect it:
 * a link of the built-in proxy without that effect, or an order that reaches Toxiproxy changed, or
 * not at all.
 */
import { LoopbackLink } from '../../../src/live/proxy/loopback-link.ts'
import type { ProxiedConnection } from '../../../src/live/proxy/proxied-link.ts'
import type { FlowDirection } from '../../../src/run/actions.ts'
import type { Case } from './cases/case.ts'

/** A request to the API. A toxic has a `name`, and a proxy is `enabled` or not. */
export interface Order {
  readonly method: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Returns the order that reaches the API; null for none. */
export type Spoil = (order: Order) => Order | null

export interface Sabotage {
  /** Completes `a link that …`. */
  readonly title: string
  readonly sees: (one: Case) => boolean
  readonly ours?: new (...given: ConstructorParameters<typeof LoopbackLink>) => LoopbackLink
  readonly toxiproxy?: Spoil
}

const drops =
  (isDropped: (order: Order) => boolean): Spoil =>
  (order) =>
    isDropped(order) ? null : order
const adds = (name: string) => drops(({ method, body }) => method === 'POST' && body.name === name)
const removes = (name: string) => drops(({ method, path }) => method === 'DELETE' && path.endsWith(`/toxics/${name}`))

const other = (direction: FlowDirection): FlowDirection => (direction === 'to-node' ? 'to-process' : 'to-node')
const otherStream: Readonly<Record<string, string>> = { upstream: 'downstream', downstream: 'upstream' }

/** A connection with changed methods. */
const otherwise = (
  one: ProxiedConnection,
  change: Partial<Pick<ProxiedConnection, 'forget' | 'resetNext'>>,
): ProxiedConnection => ({
  from: one.from,
  to: one.to,
  forget: (direction) => one.forget(direction),
  resetNext: (direction) => one.resetNext(direction),
  ...change,
})

const inDirection = (direction: FlowDirection): Sabotage[] => [
  {
    title: `does not block ${direction}`,
    sees: (one) => one.about === 'block' && one.direction === direction,
    ours: class extends LoopbackLink {
      #faults = 0
      override async block(one: FlowDirection) {
        return one === direction ? this.#faults++ === 0 : super.block(one)
      }
      override async unblock(one: FlowDirection) {
        return one === direction ? --this.#faults === 0 : super.unblock(one)
      }
    },
    toxiproxy: adds(`blocked-${direction}`),
  },
  {
    title: `stays blocked ${direction}`,
    sees: (one) => one.about === 'block' && one.direction === direction,
    ours: class extends LoopbackLink {
      #faults = 0
      override block(one: FlowDirection) {
        if (one === direction) this.#faults++
        return super.block(one)
      }
      override async unblock(one: FlowDirection) {
        return one === direction ? --this.#faults === 0 : super.unblock(one)
      }
    },
    toxiproxy: removes(`blocked-${direction}`),
  },
  {
    title: `is not slowed ${direction}`,
    sees: (one) => one.about === 'slow' && one.direction === direction,
    toxiproxy: adds(`slow-${direction}`),
  },
  {
    title: `stays slow ${direction}`,
    sees: (one) => one.about === 'slow' && one.direction === direction && /no longer|by two/.test(one.name),
    toxiproxy: removes(`slow-${direction}`),
  },
  {
    title: `does not reset ${direction}`,
    sees: (one) => one.about === 'reset' && one.direction === direction,
    ours: class extends LoopbackLink {
      override resetNext = async (one: FlowDirection) =>
        one === direction ? async () => {} : LoopbackLink.prototype.resetNext.call(this, one)
    },
    toxiproxy: adds(`reset-${direction}`),
  },
  {
    title: `resets ${direction} for ever`,
    sees: (one) => one.about === 'reset' && one.direction === direction && !/began with it/.test(one.name),
    ours: class extends LoopbackLink {
      override async resetNext(one: FlowDirection) {
        const takeBack = await super.resetNext(one)
        return one === direction ? async () => {} : takeBack
      }
    },
    toxiproxy: removes(`reset-${direction}`),
  },
  {
    title: `forgets nothing ${direction}`,
    sees: (one) => one.about === 'forget' && one.direction === direction && !/takes more/.test(one.name),
    ours: class extends LoopbackLink {
      override get connections() {
        return super.connections.map((one) =>
          otherwise(one, { forget: (way) => (way === direction ? undefined : one.forget(way)) }),
        )
      }
    },
  },
]

/** Swaps the two directions. */
const swaps: Sabotage = {
  title: 'takes one direction for the other',
  sees: ({ about, direction }) => direction !== undefined && (about === 'block' || about === 'reset'),
  ours: class extends LoopbackLink {
    override block = (one: FlowDirection) => LoopbackLink.prototype.block.call(this, other(one))
    override unblock = (one: FlowDirection) => LoopbackLink.prototype.unblock.call(this, other(one))
    override resetNext = (one: FlowDirection) => LoopbackLink.prototype.resetNext.call(this, other(one))
  },
  toxiproxy: (order) =>
    /^(blocked|reset)-/.test(String(order.body.name))
      ? { ...order, body: { ...order.body, stream: otherStream[String(order.body.stream)] } }
      : order,
}

export const sabotages: readonly Sabotage[] = [
  ...inDirection('to-node'),
  ...inDirection('to-process'),
  swaps,
  {
    title: 'is not slowed',
    sees: ({ about }) => about === 'slow',
    ours: class extends LoopbackLink {
      override slow = async () => {}
    },
    toxiproxy: drops(({ body }) => /^slow-/.test(String(body.name))),
  },
  {
    title: 'stays slow',
    sees: ({ about, name }) => about === 'slow' && /no longer|by two/.test(name),
    ours: class extends LoopbackLink {
      override slow = (extraMs: number) => LoopbackLink.prototype.slow.call(this, Math.max(0, extraMs))
    },
    toxiproxy: drops(({ method, path }) => method === 'DELETE' && /\/toxics\/slow-/.test(path)),
  },
  {
    title: 'ends no connection and refuses none',
    sees: ({ about }) => about === 'cut' || about === 'disable',
    ours: class extends LoopbackLink {
      override cut = async () => {}
      override disable = async () => {}
    },
    toxiproxy: drops(({ body }) => body.enabled === false),
  },
  {
    title: 'is not enabled again',
    sees: ({ about }) => about === 'disable',
    ours: class extends LoopbackLink {
      #opened = false
      override async enable() {
        if (!this.#opened) await super.enable()
        this.#opened = true
      }
    },
    toxiproxy: drops(({ path, body }) => path !== '/proxies' && body.enabled === true),
  },
  {
    title: 'is not closed',
    sees: ({ about }) => about === 'close',
    ours: class extends LoopbackLink {
      override close = async () => {}
    },
    toxiproxy: drops(({ method, path }) => method === 'DELETE' && !path.includes('/toxics/')),
  },
  {
    title: 'forgets one connection more: that which comes next',
    sees: ({ about, name }) => about === 'forget' && /next connection/.test(name),
    ours: class extends LoopbackLink {
      #forgotten = false
      override get connections() {
        return super.connections.map((one) => otherwise(one, { forget: () => this.#forgetAll() }))
      }
      #forgetAll() {
        if (this.#forgotten) return
        this.#forgotten = true
        // Like a toxic of the link, this also affects later bytes.
        void this.block('to-node')
        void this.block('to-process')
      }
    },
  },
  {
    title: 'does not reset one connection',
    sees: ({ about }) => about === 'reset one',
    ours: class extends LoopbackLink {
      override get connections() {
        return super.connections.map((one) => otherwise(one, { resetNext: async () => async () => {} }))
      }
    },
  },
  {
    title: 'resets all connections if one is to be reset',
    sees: ({ about }) => about === 'reset one',
    ours: class extends LoopbackLink {
      override get connections() {
        return super.connections.map((one) => otherwise(one, { resetNext: (way) => this.resetNext(way) }))
      }
    },
  },
]
