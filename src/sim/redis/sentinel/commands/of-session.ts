import { ErrorReply } from '../../../lua/reply.ts'
import type { Session } from '../../session.ts'
import type { Primary } from '../instance.ts'
import type { Sentinel } from '../sentinel.ts'

/** The Sentinel that a client talks to: these handlers are in no other server's table. */
export function sentinelOf(session: Session): Sentinel {
  return session.server as Sentinel
}

const noSuchPrimary = new ErrorReply('ERR No such master with that name')

export function primaryNamed(session: Session, name: string): Primary | ErrorReply {
  return sentinelOf(session).primaries.get(name) ?? noSuchPrimary
}
