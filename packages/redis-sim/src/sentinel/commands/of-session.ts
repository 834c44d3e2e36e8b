import { ErrorReply } from '../../resp/reply.ts'
import type { Session } from '../../session.ts'
import type { Primary } from '../instance.ts'
import type { Sentinel } from '../sentinel.ts'

/**
 * The server of the session, which is a Sentinel, because the handlers of this folder are only in
 * the command table of Sentinels. Rechecks the Sentinel's timers, because the command may make
 * ticks due.
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
