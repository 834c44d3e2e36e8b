/**
 * Refusals caused by replication. The texts and conditions are those of processCommand of Redis
 * 7.0.15.
 */

import { flagBits } from '../command.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { RedisServer } from '../server.ts'
import type { Session } from '../session.ts'

const noReplicas = new ErrorReply('NOREPLICAS Not enough good replicas to write.')
const readOnly = new ErrorReply("READONLY You can't write against a read only replica.")
export const masterDown = new ErrorReply(
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
)
const replicasKeepOut = new ErrorReply("ERR Replica can't interact with the keyspace")

/** The error with which this server refuses writes now; null if it accepts them. */
export function writeRefusal({ config, replication }: RedisServer): ErrorReply | null {
  if (replication.link === null) return replication.replicas.enoughToWrite ? null : noReplicas
  return config.replicaReadOnly ? readOnly : null
}

/** True if a replica without its primary must not serve its stale data. */
export function isStale({ config, replication }: RedisServer): boolean {
  return !config.replicaServeStaleData && replication.link !== null && replication.link.state !== 'connected'
}

/**
 * Refuses access to keys for a connection that became a replica or a monitor. `flags` are the
 * combined flags of all commands to execute.
 */
export function keptOut({ replica, monitoring }: Session, flags: number): ErrorReply | null {
  if (replica === null && !monitoring) return null
  return (flags & (flagBits.write | flagBits.readonly | flagBits.may_replicate)) === 0 ? null : replicasKeepOut
}
