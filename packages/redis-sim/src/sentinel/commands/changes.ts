/**
 * SENTINEL subcommands that change the watched instances or start an action. Source:
 * sentinelCommand of Redis 7.0.
 */

import type { Answer, Handlers } from '../../command.ts'
import { matchesGlob } from '../../glob.ts'
import { parseInt64 } from '../../numbers/int64.ts'
import { ErrorReply, OK } from '../../resp/reply.ts'
import type { Session } from '../../session.ts'
import { isAcceptable } from '../address.ts'
import { startFailover } from '../failover.ts'
import { addPrimary } from '../instances.ts'
import { resetPrimary } from '../reset.ts'
import { selectReplica } from '../select-replica.ts'
import { primaryNamed, sentinelOf } from './of-session.ts'

function monitor(session: Session, args: readonly string[]): Answer {
  const sentinel = sentinelOf(session)
  const [name, host, portText, quorumText] = args.slice(2) as [string, string, string, string]
  const quorum = parseInt64(quorumText)
  if (quorum === undefined) return new ErrorReply('ERR Invalid quorum')
  const port = parseInt64(portText)
  if (port === undefined) return new ErrorReply('ERR Invalid port')
  if (quorum <= 0) return new ErrorReply('ERR Quorum must be 1 or greater.')
  const address = { host, port: Number(port) }
  if (isAcceptable({ host, port: 0 }, sentinel.settings.resolveHostnames) !== 'yes') {
    return new ErrorReply('ERR Invalid IP address or hostname specified')
  }
  const primary = addPrimary(sentinel, name, address, Number(quorum))
  if (typeof primary === 'string') return new ErrorReply(`ERR ${primary}`)
  sentinel.flushConfig()
  sentinel.event('+monitor', primary, ` quorum ${primary.quorum}`)
  return OK
}

function remove(session: Session, args: readonly string[]): Answer {
  const primary = primaryNamed(session, args[2]!)
  if (primary instanceof ErrorReply) return primary
  const sentinel = sentinelOf(session)
  sentinel.event('-monitor', primary)
  sentinel.primaries.delete(primary.name)
  primary.release()
  sentinel.flushConfig()
  return OK
}

function reset(session: Session, args: readonly string[]): Answer {
  const sentinel = sentinelOf(session)
  const matching = [...sentinel.primaries.values()].filter(({ name }) => matchesGlob(args[2]!, name))
  for (const primary of matching) {
    resetPrimary(sentinel, primary, 'sentinels-too')
    sentinel.event('+reset-master', primary)
  }
  return matching.length
}

/** SENTINEL FAILOVER: starts a manual failover, which needs no votes. */
function failover(session: Session, args: readonly string[]): Answer {
  const primary = primaryNamed(session, args[2]!)
  if (primary instanceof ErrorReply) return primary
  const sentinel = sentinelOf(session)
  if (primary.failoverInProgress) return new ErrorReply('INPROG Failover already in progress')
  if (selectReplica(sentinel, primary) === null) {
    return new ErrorReply('NOGOODSLAVE No suitable replica to promote')
  }
  startFailover(sentinel, primary)
  primary.forceFailover = true
  return OK
}

export const changeHandlers: Handlers = {
  'sentinel|monitor': monitor,
  'sentinel|remove': remove,
  'sentinel|reset': reset,
  'sentinel|failover': failover,
  'sentinel|flushconfig': (session) => {
    sentinelOf(session).flushConfig()
    return OK
  },
}
