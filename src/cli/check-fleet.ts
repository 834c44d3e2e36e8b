/**
 * Checks that a fleet's queue can be used. The check comes before any run, so that no run is
 * wasted.
 */

import { RealConnection } from 'test-servers'
import { ask } from '../campaign/crosscheck/real-redis.ts'
import { readQueueAddress } from '../fleet/queue-address.ts'
import { UsageError } from './usage-error.ts'

/**
 * `tested`: the Redis of the crosscheck, as the user named it. The crosscheck empties it, so it
 * must not hold the queue.
 * @throws UsageError, FleetProblem
 */
export async function checkFleet(fleet: string | undefined, tested: string | undefined): Promise<void> {
  if (fleet === undefined) return
  const address = readQueueAddress(fleet)
  // This import loads BullMQ, which may be missing.
  await import('../fleet/fleet-executor.ts')
  // This import loads ioredis, which campaigns without a fleet do not need in this thread.
  const { runIdOf, tryQueue } = await import('../fleet/open-queue.ts')
  const queue = await tryQueue(address)
  const [, host, port] = /^([^/]+):(\d+)$/.exec(tested ?? '') ?? []
  if (host === undefined || queue === undefined || queue !== runIdOf(await infoAt(host, Number(port)))) return
  throw new UsageError(
    `--redis ${tested}`,
    `this is the Redis of --fleet ${address.shown}, and tests empty their Redis; name another`,
  )
}

/** The reply to INFO; empty if no server answers, which the crosscheck reports. */
async function infoAt(host: string, port: number): Promise<string> {
  try {
    const connection = await RealConnection.open(host, port)
    const [info = ''] = await ask(connection, [['INFO', 'server']])
    connection.destroy()
    return info
  } catch {
    return ''
  }
}
