/** MULTI, EXEC, DISCARD, WATCH, UNWATCH. Source: multi.c of Redis 7.0. */
import { ErrorReply, nullArray, OK, type Reply } from '../../lua/reply.ts'
import type { Answer, Handlers } from '../command.ts'
import { execute } from '../dispatch.ts'
import type { Session } from '../session.ts'

const aborted = new ErrorReply('EXECABORT Transaction discarded because of previous errors.')

function multi(session: Session): Answer {
  if (session.queue !== null) return new ErrorReply('ERR MULTI calls can not be nested')
  session.queue = []
  return OK
}

function discard(session: Session): Answer {
  if (session.queue === null) return new ErrorReply('ERR DISCARD without MULTI')
  session.discard()
  return OK
}

function exec(session: Session): Answer {
  const { queue } = session
  if (queue === null) return new ErrorReply('ERR EXEC without MULTI')
  if (session.watched.some((watched) => watched.hasExpired)) session.watchBroken = true
  if (session.queueBroken || session.watchBroken) {
    const answer = session.queueBroken ? aborted : nullArray
    session.discard()
    return answer
  }
  session.unwatch()
  session.denyBlocking = true
  const replies: Reply[] = []
  for (const { command, args } of queue) replies.push(execute(session, command, args))
  session.denyBlocking = false
  session.discard()
  return replies
}

function watch(session: Session, args: readonly string[]): Answer {
  if (session.queue !== null) return new ErrorReply('ERR WATCH inside MULTI is not allowed')
  if (session.watchBroken) return OK
  for (let at = 1; at < args.length; at++) session.watch(args[at]!)
  return OK
}

function unwatch(session: Session): Answer {
  session.unwatch()
  session.watchBroken = false
  return OK
}

export const transactionHandlers: Handlers = { multi, exec, discard, watch, unwatch }
