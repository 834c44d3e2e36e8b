/**
 * Article 002 ("Advanced Idempotency Patterns for Kafka Consumers using Redis and Lua"), fourth
 * pattern, acquire_lock_lua_sim, release_lock_lua_sim: the third pattern with commands instead of
 * scripts. GET, SET NX, GET take the key; WATCH, GET, MULTI, SET, EXEC complete it.
 *
 * What the article claims: the transaction replaces the script's atomic check-and-set. It calls
 * the acquisition a simplification that is not atomic, and advises the scripts for production.
 * Limits: as 002-owner-token.ts. PROCESSING for 5 minutes, COMPLETED for a day.
 * How it acknowledges: undefined, as 002-owner-token.ts; variant: `002-watch-multi-nack-on-skip`.
 * What differs: as in redis-py, each transaction has its pooled connection, whose loss during WATCH
 * means "no longer owner"; ioredis would send the rest without WATCH, so the adapter does not
 * reconnect during WATCH. Otherwise redis-py 6 and 7 resend a command 3 times (earlier versions
 * never), ioredis up to 20 times.
 */
import type { Redis } from 'ioredis'
import { type OwnerLock, ownerToken } from './002-owner-token.ts'

/** A connection for one transaction at a time. */
interface Watcher {
  readonly connection: Redis
  watching: boolean
}

function watcherOf(client: Redis): Watcher {
  const retryAfter = client.options.retryStrategy!
  const retryStrategy = (times: number) => (watcher.watching ? null : retryAfter(times))
  const watcher: Watcher = { connection: client.duplicate({ retryStrategy }), watching: false }
  return watcher
}

async function takeBySetNx(client: Redis, name: string, processing: string, seconds: number): Promise<string | null> {
  const found = await client.get(name)
  if (found) return found
  if (await client.set(name, processing, 'EX', seconds, 'NX')) return 'LOCKED'
  return client.get(name)
}

/** Returns null when redis-py raises WatchError. */
async function replaceIfOwner(
  watcher: Watcher,
  name: string,
  owner: string,
  completed: string,
  seconds: number,
): Promise<number | null> {
  const { connection } = watcher
  try {
    await connection.watch(name)
    watcher.watching = true
    const found = await connection.get(name)
    if (!found || JSON.parse(found).owner !== owner) return 0
    const replies = await connection.multi().set(name, completed, 'EX', seconds).exec()
    watcher.watching = false
    if (replies === null) return null
    const [[failure]] = replies as [[Error | null, unknown]]
    if (failure) throw failure
    return 1
  } catch (error) {
    if (watcher.watching && connection.status === 'end') return null
    throw error
  }
}

export function watchedLock(client: Redis): OwnerLock {
  const idle: Watcher[] = []
  const open = new Set<Watcher>()
  return {
    acquire: (name, _owner, processing, seconds) => takeBySetNx(client, name, processing, seconds),
    async release(name, owner, completed, seconds) {
      const watcher = idle.pop() ?? watcherOf(client)
      open.add(watcher)
      try {
        return (await replaceIfOwner(watcher, name, owner, completed, seconds)) ?? 0
      } finally {
        if (watcher.watching) await watcher.connection.unwatch().catch(() => {})
        watcher.watching = false
        if (watcher.connection.status === 'end') open.delete(watcher)
        else idle.push(watcher)
      }
    },
    close() {
      for (const { connection } of open) connection.disconnect()
    },
  }
}

export default ownerToken({
  id: '002-watch-multi',
  about:
    'GET and SET NX take the key, WATCH and MULTI complete it only as its owner; the rest is acknowledged (article 002).',
  nothing: { status: 'done', result: null },
  lockOf: watchedLock,
})
