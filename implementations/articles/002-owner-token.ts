/**
 * Article 002 ("Advanced Idempotency Patterns for Kafka Consumers using Redis and Lua"), third
 * pattern, its blocks acquire_lock.lua and release_lock.lua, called from process_message_production
 * as the article advises: an owner token per attempt; the result replaces only a record with it.
 *
 * What the article claims: far more resilient; a slow consumer cannot overwrite a faster one's
 * result, and the guarded write is the last defence against processing twice. It says that an
 * effect with a lost lock needs compensation from elsewhere.
 * Limits: PROCESSING for 5 minutes, COMPLETED for a day. A record older than 5 minutes by the
 * client's clock is called stale, but skipped too.
 * How it acknowledges: not defined. COMPLETED returns the stored result; PROCESSING (also if stale)
 * and a lost lock return nothing; a failed effect raises and leaves the record (deleting it is left
 * as an exercise). Here a raise means "not acknowledged", and a return is a committed offset, as in
 * Kafka; `002-owner-token-nack-on-skip` redelivers if nothing was returned.
 * What differs: EVALSHA falls back to EVAL, not to SCRIPT LOAD; redis-py resends a command after an
 * error (3 times in versions 6 and 7, never before), ioredis up to 20 times.
 */
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import {
  type CreateContext,
  defineImplementation,
  type Implementation,
  type Permission,
} from '../../src/contract/api/implementation.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import type { Outcome } from '../../src/contract/api/message.ts'
import { usualShapes } from '../../src/contract/api/scenario.ts'
import type { Sink, SinkKind } from '../../src/contract/api/sink.ts'
import type { Shape, StoreKind } from '../../src/contract/api/store.ts'
import { allShapes, clientOf } from '../parts/client-of.ts'

/** The article's limits: 5 minutes and a day. */
const processingSeconds = 300
const recordSeconds = 86_400

const acquireScript = `-- acquire: KEYS[1] record; ARGV owner, PROCESSING record, seconds
local found = redis.call('GET', KEYS[1])
if found then
  local status = cjson.decode(found).status
  if status == 'COMPLETED' or status == 'PROCESSING' then
    return found
  end
end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 'LOCKED'
`

const releaseScript = `-- release: KEYS[1] record; ARGV expected owner, new record, seconds
local found = redis.call('GET', KEYS[1])
if not found or cjson.decode(found).owner ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
`

/** The two steps, which the article has twice: as scripts, and as commands of the client. */
export interface OwnerLock {
  /** `LOCKED`, or the record in the way. */
  acquire(name: string, owner: string, processing: string, seconds: number): Promise<string | null>
  /** 1 if the owner still held the record, which was then replaced. */
  release(name: string, owner: string, completed: string, seconds: number): Promise<number>
  close?(): void
}

/** The store to which old records are moved. */
export interface OlderRecords {
  /** Null if it has no record. */
  find(key: string): Promise<{ readonly result: JsonValue } | null>
  close(): void
}

interface Variant {
  readonly id: string
  readonly about: string
  /** The outcome for a message for which the article's function returns nothing. */
  readonly nothing: Outcome
  readonly lockOf: (client: Redis) => OwnerLock
  /** How long PROCESSING lives, in whole seconds; default: the article's 5 minutes. */
  readonly secondsFor?: (leaseMs: number) => number
  readonly recoveryBoundMs?: number
  readonly shapes?: readonly Shape[]
  /** Treats the record of a failed effect; default: leaves it. */
  readonly failed?: (client: Redis, name: string, owner: string, lock: OwnerLock) => Promise<unknown>
  /** Treats an effect whose lock was lost meanwhile; default: leaves it. */
  readonly lost?: (sink: Sink, key: string, owner: string) => Promise<unknown>
  /** Default: plain, and a sink that deduplicates by key. */
  readonly sinks?: readonly SinkKind[]
  /** Runs beside the effect, until the returned function is called. */
  readonly beside?: (client: Redis, name: string, owner: string, seconds: number) => () => void
  /** The store of records that Redis no longer has; default: none. */
  readonly older?: (client: Redis, context: CreateContext) => OlderRecords
  readonly stores?: readonly StoreKind[]
  readonly allow?: readonly Permission[]
  /** Default: a queue. */
  readonly broker?: 'partitions'
}

/** The article's process_message_production, which has both kinds of lock. */
export function ownerToken(variant: Variant): Implementation {
  const { id, about, nothing, lockOf, shapes = usualShapes, recoveryBoundMs = processingSeconds * 1000 } = variant
  return defineImplementation({
    id,
    about,
    expect: 'broken',
    serial: true,
    recoveryBoundMs,
    sinks: variant.sinks ?? ['plain', 'keyed'],
    shapes,
    lacks: ['dead-lettering'],
    ...(variant.lost && { has: ['compensation'] }),
    ...(variant.stores && { stores: variant.stores }),
    ...(variant.allow && { allow: variant.allow }),
    ...(variant.broker && { broker: variant.broker }),
    create(context) {
      const { redis, leaseMs, sink } = context
      const seconds = variant.secondsFor?.(leaseMs) ?? processingSeconds
      const client = clientOf(redis)
      const lock = lockOf(client)
      const older = variant.older?.(client, context)
      const consumer = `consumer-${process.pid}-${randomUUID()}`
      return {
        async handle({ key, payload }) {
          const name = `idempotency:v1:${key}`
          const owner = `${consumer}:${randomUUID()}`
          const processing = JSON.stringify({ status: 'PROCESSING', owner, timestamp: Date.now() / 1000 })
          const found = await lock.acquire(name, owner, processing, seconds)
          if (found !== 'LOCKED') {
            // A record that ended between two commands is null here: an error, as in the article.
            if (found === null) throw new TypeError(`the record of ${key} is gone`)
            const stored = JSON.parse(found)
            if (stored.status === 'COMPLETED') return { status: 'done', result: stored.result }
            // Stale or not: the article reads the timestamp, but skips in both cases.
            if (stored.status === 'PROCESSING') return nothing
          }
          const before = await older?.find(key)
          if (before) {
            await lock.release(name, owner, JSON.stringify({ status: 'COMPLETED', ...before }), recordSeconds)
            return { status: 'done', result: before.result }
          }
          const perform = async () => {
            const stop = variant.beside?.(client, name, owner, seconds)
            try {
              return await sink.perform({ key, payload, ...(variant.lost && { reference: owner }) })
            } catch (error) {
              await variant.failed?.(client, name, owner, lock)
              throw error
            } finally {
              stop?.()
            }
          }
          const receipt = await perform()
          const completed = JSON.stringify({ status: 'COMPLETED', result: receipt })
          const stillOwner = await lock.release(name, owner, completed, recordSeconds)
          if (!stillOwner) await variant.lost?.(sink, key, owner)
          return stillOwner ? { status: 'done', result: receipt } : nothing
        },
        close() {
          older?.close()
          lock.close?.()
          client.disconnect()
        },
      }
    },
  })
}

export function scriptedLock(client: Redis): OwnerLock {
  client.defineCommand('acquire', { numberOfKeys: 1, lua: acquireScript })
  client.defineCommand('release', { numberOfKeys: 1, lua: releaseScript })
  const scripts = client as Redis & OwnerLock
  return {
    acquire: (name, owner, processing, seconds) => scripts.acquire(name, owner, processing, seconds),
    release: (name, owner, completed, seconds) => scripts.release(name, owner, completed, seconds),
  }
}

export default ownerToken({
  id: '002-owner-token',
  about:
    'Scripts take the key with an owner token and complete it only as its owner; the rest is acknowledged (article 002).',
  nothing: { status: 'done', result: null },
  lockOf: scriptedLock,
  // The article says that its scripts work on a Cluster.
  shapes: allShapes,
})
