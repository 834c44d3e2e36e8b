/** MULTI, EXEC, DISCARD, WATCH, UNWATCH. Source: multi.c of Redis 7.0. */

import { type Answer, type Command, Encoded, type Handlers, Several } from '../command.ts'
import { execute } from '../dispatch.ts'
import { encodeReply } from '../resp/encode.ts'
import { ErrorReply, nullArray, OK, type Reply } from '../resp/reply.ts'
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
  const { resp } = session
  const replies: Reply[] = []
  let settled: string | undefined
  for (const { command, args } of queue) {
    const answer = revoked(session, command, args) ?? execute(session, command, args)
    const several = answer instanceof Several
    if (settled === undefined && (several || session.resp !== resp)) settled = encodeAll(replies, resp)
    if (settled !== undefined)
      settled += several ? encodeAll(answer.replies, session.resp) : encodeReply(answer, session.resp)
    replies.push(several ? answer.replies[0]! : answer)
  }
  session.denyBlocking = false
  session.discard()
  return settled === undefined ? replies : new Encoded(replies, `*${queue.length}\r\n${settled}`)
}

const reasons = {
  command: 'no permission to execute the command or subcommand',
  key: 'no permission to touch the specified keys',
  channel: 'no permission to access one of the channels used as arguments',
}

/** The error if the user has lost the permission for a queued command; null otherwise. */
function revoked(session: Session, command: Command, args: readonly string[]): ErrorReply | null {
  if (session.user.isUnrestricted || session.obeyed) return null
  const found = session.server.acl.denied(session, command, args, 'multi')
  if (found === null) return null
  return new ErrorReply(
    `NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This command is no longer allowed for the following reason: ${reasons[found.what]}`,
  )
}

function encodeAll(replies: readonly Reply[], resp: 2 | 3): string {
  return replies.map((reply) => encodeReply(reply, resp)).join('')
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
