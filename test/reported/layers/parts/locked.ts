/**
 * A layer that takes a lock before a sink that deduplicates by key. Messages that are too old, and
 * other payloads under a known key, are set aside before it asks for the lock.
 */
import { type Cluster, Redis } from 'ioredis'
import type { CreateContext, Implementation, RedisAddress } from '../../../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../../../src/contract/api/message.ts'

interface Site<Client> extends CreateContext {
  readonly client: Client
}

/** `work` holds no lock yet. `open` defaults to ioredis with its default options. */
export function locked<Client extends Redis | Cluster = Redis>(
  id: string,
  work: (message: Message, site: Site<Client>) => Promise<Outcome>,
  {
    open = openClient as never,
    ...declared
  }: { open?: (redis: RedisAddress) => Client } & Partial<Implementation> = {},
): Implementation {
  return {
    ...{ id, recoveryBoundMs: 60_000, sinks: ['keyed'], leavesNoDoubtOn: ['keyed'] },
    ...declared,
    create(context) {
      const client = open(context.redis)
      client.on('error', () => {})
      return {
        handle: async (message) =>
          (await setAside(client, message, context.retentionMs)) ?? (await work(message, { ...context, client })),
        close: () => client.disconnect(),
      }
    },
  }
}

/** Gives up on a connection without replies. */
export function openClient({ options }: RedisAddress, more: object = {}): Redis {
  const client = new Redis({ ...options, socketTimeout: 5000, ...more })
  client.on('error', () => {})
  return client
}

async function setAside(
  client: Redis | Cluster,
  { key, payload, producedAt }: Message,
  retentionMs: number,
): Promise<Outcome | null> {
  if (Date.now() - producedAt > retentionMs) return { status: 'dead-letter', reason: 'in-doubt: too old' }
  const text = JSON.stringify(payload)
  await client.set(`payload:${key}`, text, 'PX', 2 * retentionMs, 'NX')
  const first = await client.get(`payload:${key}`)
  if (first === null) return { status: 'retry', reason: 'the payload is gone' }
  return first === text ? null : { status: 'dead-letter', reason: 'key-reused' }
}
