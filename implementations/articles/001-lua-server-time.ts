/**
 * Article 001 ("Idempotency Layers in Event-Driven Systems with Redis & Lua"), third pattern, its
 * blocks acquire_lock.lua and IdempotentConsumer: a script takes the key, by Redis's own clock,
 * also from a holder older than 5 minutes.
 * What the article claims: atomic and robust, exactly-once at the application level for most uses,
 * safe from clock skew between consumers. It names one flaw itself: if COMPLETED is not written,
 * the work is repeated after the 5 minutes; against that it advises a transactional outbox.
 * Limits: a holder is stale after 5 minutes (both times in whole seconds); PROCESSING lives for an
 * hour; COMPLETED for a day, by an unconditional SET.
 * How it acknowledges: ACK after the effect and for a duplicate; NACK for a held key and for any
 * error. An error of the effect or of writing COMPLETED deletes the key, even another consumer's,
 * before the NACK.
 * What differs: nothing, the article's client is ioredis with defineCommand; its defaults are kept.
 * Decided here: the contract's messages name no producer, so the key has a fixed name instead. The
 * script does not return the stored result and ACK carries none, so a duplicate is `done` with
 * null.
 */
import { randomBytes } from 'node:crypto'
import type { Redis } from 'ioredis'
import { defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'
import type { Message } from '../../src/contract/api/message.ts'
import type { EffectResult, Sink } from '../../src/contract/api/sink.ts'
import { allShapes, clientOf } from '../parts/client-of.ts'

/** The article's limits: 5 minutes, an hour and a day. */
const staleAfterMs = 300_000
const lockSeconds = 3600
export const recordSeconds = 86_400

export const acquireScript = `-- acquire: KEYS[1] record; ARGV owner, stale after (ms), seconds to live
local function take(now, reply)
  local holder = {status = 'PROCESSING', owner = ARGV[1], timestamp = now}
  redis.call('SET', KEYS[1], cjson.encode(holder), 'EX', tonumber(ARGV[3]))
  return reply
end
local found = redis.call('GET', KEYS[1])
if not found then
  return take(redis.call('TIME')[1] * 1000, 'acquired')
end
local stored = cjson.decode(found)
if stored.status == 'COMPLETED' then
  return 'duplicate'
end
if stored.status == 'PROCESSING' then
  local now = redis.call('TIME')[1] * 1000
  if now - stored.timestamp > tonumber(ARGV[2]) then
    return take(now, 'taken-over')
  end
end
return 'held'
`

interface Variant {
  readonly id: string
  readonly about: string
  /** Treats the key after an error, before the NACK. */
  readonly failed: (client: Redis, name: string, owner: string) => Promise<unknown>
  /** Delay of the redelivery after a NACK, in ms. Default: the broker's own. */
  readonly afterMs?: number
}

interface Client extends Redis {
  acquire(
    name: string,
    owner: string,
    staleMs: number,
    seconds: number,
  ): Promise<'acquired' | 'taken-over' | 'duplicate' | 'held'>
}

/** Performs and records. @throws the errors of the effect or Redis, after `failed` */
async function execute(
  client: Client,
  sink: Sink,
  name: string,
  owner: string,
  message: Message,
  failed: Variant['failed'],
): Promise<EffectResult> {
  try {
    const receipt = await sink.perform({ key: message.key, payload: message.payload })
    const completed = { status: 'COMPLETED', owner, completedAt: Date.now(), result: receipt }
    await client.set(name, JSON.stringify(completed), 'EX', recordSeconds)
    return receipt
  } catch (error) {
    await failed(client, name, owner)
    throw error
  }
}

export function luaServerTime({ id, about, failed, afterMs }: Variant): Implementation {
  return defineImplementation({
    id,
    about,
    expect: 'broken',
    // Both times are cut to whole seconds.
    recoveryBoundMs: staleAfterMs + 1000,
    sinks: ['plain', 'keyed'],
    // The article says that it works on a Cluster.
    shapes: allShapes,
    lacks: ['stored-result', 'dead-lettering'],
    create({ redis, sink }) {
      const nack = (reason: string) => ({ status: 'retry' as const, reason, ...(afterMs && { afterMs }) })
      const client = clientOf(redis) as Client
      client.defineCommand('acquire', { numberOfKeys: 1, lua: acquireScript })
      const owner = `consumer-${randomBytes(8).toString('hex')}`
      return {
        async handle(message) {
          const name = `idempotency:v2:producer:${message.key}`
          try {
            const reply = await client.acquire(name, owner, staleAfterMs, lockSeconds)
            if (reply === 'duplicate') return { status: 'done', result: null }
            if (reply === 'held') return nack('another consumer holds the key')
            return { status: 'done', result: await execute(client, sink, name, owner, message, failed) }
          } catch (error) {
            return nack(String(error))
          }
        },
        close: () => client.disconnect(),
      }
    },
  })
}

export default luaServerTime({
  id: '001-lua-server-time',
  about:
    'A script takes the key, or takes it over after 5 minutes of server time; a plain SET completes it (article 001).',
  failed: (client, name) => client.del(name),
})
