import { ErrorReply } from '../../resp/reply.ts'
import type { Session } from '../../session.ts'
import type { Primary } from '../instance.ts'
import type { Sentinel } from '../sentinel.ts'

/**
 * The Sentinel that a client talks to: these handlers are in no other server's table. They may
 * change what it has to do.
 */
export function sentinelOf(session: Session): Sentinel {
  const sentinel = session.server as Sentinel
  sentinel.recheckTimers()
  return sentinel
}

const noSuchPrimary = new ErrorReply('ERR No such master with that name')

export function primaryNamed(session: Session, name: string): Primary | ErrorReply {
  return sentinelOf(session).primaries.get(name) ?? noSuchPrimary
}
