/**
 * Connects to the Redis of the queue. The address is tried once with a short timeout; the
 * connection then lasts as long as the fleet is used.
 */
import { Redis } from 'ioredis'
import { FleetProblem } from './fleet-problem.ts'
import type { QueueAddress } from './queue-address.ts'

/** How long to wait before reconnecting, in milliseconds. */
const retryMs = 500
const timeoutMs = 5_000

/**
 * Connection options with which commands wait while Redis is unreachable. BullMQ requires these
 * options, too.
 */
export function withoutTimeout({ options }: QueueAddress) {
  return { ...options, maxRetriesPerRequest: null, retryStrategy: () => retryMs }
}

/**
 * Opens the connection, and reports when Redis becomes unreachable and when it is back.
 * @throws FleetProblem if this Redis cannot hold a queue
 */
export async function openQueue(address: QueueAddress, say: (line: string) => void): Promise<Redis> {
  await tryQueue(address)
  const redis = new Redis(withoutTimeout(address))
  let away = false
  redis.on('error', () => {}) // The listener of `close`, which follows, handles it.
  redis.on('close', () => {
    if (!away && redis.status !== 'end') say(`the fleet's queue ${address.shown} does not answer; waiting for it`)
    away = true
  })
  redis.on('ready', () => {
    if (away) say(`the fleet's queue ${address.shown} is back`)
    away = false
  })
  return redis
}

/**
 * Returns the server's run id, which does not depend on the address.
 * @throws FleetProblem if this Redis cannot hold a queue
 */
export async function tryQueue({ options, shown }: QueueAddress): Promise<string | undefined> {
  const problem = (remedy: string) => new FleetProblem(`--fleet ${shown}`, remedy)
  const redis = new Redis({
    ...options,
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
  })
  let cause: Error | undefined
  redis.on('error', (error) => (cause = error))
  try {
    await redis.connect()
    await redis.set('onceproof:probe', '1', 'PX', 1)
    return runIdOf(await redis.info('server'))
  } catch (error) {
    throw problem(remedyOf(cause ?? (error as Error)))
  } finally {
    redis.disconnect()
  }
}

function remedyOf(error: NodeJS.ErrnoException): string {
  const { code, message } = error
  if (/^NOAUTH/.test(message)) return 'it needs a password; give redis://:password@host:port'
  if (/^(WRONGPASS|ERR invalid password|ERR AUTH)/.test(message))
    return 'wrong password; give redis://:password@host:port'
  if (/^READONLY/.test(message)) return 'it is a read-only replica; give its primary'
  if (code !== undefined) return `it does not answer (${code}); start a Redis there, or give another`
  return `it cannot hold a queue (${message.split('\n', 1)[0]}); give another`
}

export function runIdOf(info: string): string | undefined {
  return /run_id:(\S+)/.exec(info)?.[1]
}
