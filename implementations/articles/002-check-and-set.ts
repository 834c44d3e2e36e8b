/**
 * Article 002 ("Advanced Idempotency Patterns for Kafka Consumers using Redis and Lua"), second
 * pattern, check_and_set.lua and process_message_atomic: a script returns the record or sets
 * PROCESSING.
 * What the article claims: of two simultaneous consumers only one gets through. It admits that a
 * crash locks the key for 5 minutes, and that a slow holder also acts after this time.
 * Limits: PROCESSING for 5 minutes, COMPLETED for a day, by an unconditional SET.
 * How it acknowledges: not defined. COMPLETED returns the stored result, other states return
 * nothing, a failed effect deletes the key and raises. Here a raise means "not acknowledged",
 * because the article deletes the key for a retry, and a normal return is a committed offset, as in
 * Kafka; `002-check-and-set-nack-on-skip` redelivers a skipped message.
 * What differs: EVALSHA falls back to EVAL, not to SCRIPT LOAD. On a connection error redis-py 6
 * and 7 resend a command 3 times (earlier versions never), ioredis up to 20 times.
 */
import type { Redis } from 'ioredis'
import { defineImplementation, type Implementation } from '../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../src/contract/api/message.ts'
import { allShapes, clientOf } from '../parts/client-of.ts'

/** The article's limits: 5 minutes and a day. */
const processingSeconds = 300
const recordSeconds = 86_400

const checkAndSetScript = `-- check-and-set: KEYS[1] record; ARGV what to set when it is missing, seconds
local found = redis.call('GET', KEYS[1])
if found then
  return found
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2], 'NX')
return nil
`

interface Client extends Redis {
  checkAndSet(name: string, processing: string, seconds: number): Promise<string | null>
}

interface Variant {
  readonly id: string
  readonly about: string
  /** The outcome for a message whose key is neither completed nor free. */
  readonly skipped: Outcome
  /** The idempotency key; default: the key in the message. */
  readonly keyOf?: (message: Message) => string
}

export function checkAndSet({ id, about, skipped, keyOf = ({ key }) => key }: Variant): Implementation {
  return defineImplementation({
    id,
    about,
    expect: 'broken',
    serial: true,
    recoveryBoundMs: processingSeconds * 1000,
    sinks: ['plain', 'keyed'],
    // The article says that its patterns work on a Cluster.
    shapes: allShapes,
    lacks: ['dead-lettering'],
    create({ redis, sink }) {
      const client = clientOf(redis) as Client
      client.defineCommand('checkAndSet', { numberOfKeys: 1, lua: checkAndSetScript })
      return {
        async handle(message) {
          const { key, payload } = message
          const name = `idempotency:v1:${keyOf(message)}`
          const processing = JSON.stringify({ status: 'PROCESSING', timestamp: Date.now() / 1000 })
          const found = await client.checkAndSet(name, processing, processingSeconds)
          if (found) {
            const stored = JSON.parse(found)
            return stored.status === 'COMPLETED' ? { status: 'done', result: stored.result } : skipped
          }
          try {
            const receipt = await sink.perform({ key, payload })
            await client.set(name, JSON.stringify({ status: 'COMPLETED', result: receipt }), 'EX', recordSeconds)
            return { status: 'done', result: receipt }
          } catch (error) {
            await client.del(name)
            throw error
          }
        },
        close: () => client.disconnect(),
      }
    },
  })
}

export default checkAndSet({
  id: '002-check-and-set',
  about:
    'A script sets PROCESSING unless something is stored; PROCESSING is skipped and acknowledged (article 002, second).',
  skipped: { status: 'done', result: null },
})
