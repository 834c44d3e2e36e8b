/**
 * Per-fault canaries, each killed by one kind of fault only: the reference layer with one mistake,
 * which it makes when it detects that kind. Under every other kind of fault it behaves like the
 * reference.
 */
import { Redis, type RedisOptions } from 'ioredis'
import type { CreateContext, Implementation } from '../../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../../src/contract/api/message.ts'
import type { EffectRequest, EffectResult, SinkKind } from '../../../src/contract/api/sink.ts'
import reference from '../../reference/reference.ts'
import { seenInTime } from './look.ts'

export interface Says {
  readonly id: string
  readonly about: string
  /** The kind of fault that kills it. */
  readonly kind: string
  readonly scenarios: readonly string[]
  readonly sink?: SinkKind
}

/** The options of a connection that a canary may change. */
type Impatience = Pick<
  RedisOptions,
  | 'maxRetriesPerRequest'
  | 'enableOfflineQueue'
  | 'autoResendUnfulfilledCommands'
  | 'retryStrategy'
  | 'enableReadyCheck'
  | 'lazyConnect'
>

export interface Around {
  readonly context: CreateContext
  /** A new connection. It waits for Redis unless the options change that. Closed with the layer. */
  readonly open: (options?: Impatience) => Redis
  /** A connection to a machine of the deployment, whatever its role. */
  readonly openAt: (node: { readonly host: string; readonly port: number }) => Redis
}

/** Overrides of the reference. Omitted members keep the reference's behavior. */
export interface Wrong {
  perform?(request: EffectRequest, perform: (request: EffectRequest) => Promise<EffectResult>): Promise<EffectResult>
  handle?(message: Message, handle: (message: Message) => Promise<Outcome>): Promise<Outcome>
}

export function perFaultCanary(
  { kind, scenarios, sink, ...says }: Says,
  wrong: (around: Around) => Wrong,
): Implementation {
  return {
    ...reference,
    ...says,
    expect: 'broken',
    hunt: { killedBy: [kind], scenarios, ...(sink === undefined ? {} : { sink }) },
    async create(context) {
      const clients: Redis[] = []
      const connect = (options: Omit<RedisOptions, 'replyMapping'>): Redis => {
        const client = new Redis({ maxRetriesPerRequest: null, ...options })
        client.on('error', () => {})
        clients.push(client)
        return client
      }
      const open = (options: Impatience = {}) => connect({ ...context.redis.options, ...options })
      const { perform, handle } = wrong({ context, open, openAt: connect })
      const send = (request: EffectRequest) => context.sink.perform(request)
      const guarded = perform === undefined ? send : (request: EffectRequest) => perform(request, send)
      const layer = await reference.create({ ...context, sink: { ...context.sink, perform: guarded } })
      return {
        handle: (message) => (handle === undefined ? layer.handle(message) : handle(message, layer.handle)),
        close() {
          for (const client of clients) client.disconnect()
          return layer.close?.()
        },
      }
    },
  }
}

/**
 * Observes the deployment when its process starts, mostly for 1 s and at most for 6 s, before it
 * handles a message. If it sees the fault, it performs the effect of each message twice, without
 * the layer.
 */
export function suspicious(says: Says, look: (around: Around) => Promise<boolean>): Implementation {
  return perFaultCanary(says, (around) => {
    const looked = seenInTime(look(around))
    return {
      async handle(message, handle) {
        const { key, payload } = message
        for (let left = (await looked) ? 2 : 0; left > 0; left--) await around.context.sink.perform({ key, payload })
        return handle(message)
      },
    }
  })
}
