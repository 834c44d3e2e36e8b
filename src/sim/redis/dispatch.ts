import { ErrorReply, QUEUED, type Reply } from '../lua/reply.ts'
import { type Answer, Blocking, type Command, Encoded, flagBits, NoReply, type Several } from './command.ts'
import { findCommand } from './command-table.ts'
import { noAuth, notForSubscribers, notInTransaction, unknownCommand, unknownSubcommand, wrongArity } from './errors.ts'
import type { Session } from './session.ts'
import { refusal } from './trouble.ts'

/**
 * One command of a client, from its words to its answer: the checks of Redis's processCommand in their order, then
 * queueing inside MULTI or execution. The server's clock is read once here and stands still until the answer.
 */
export function dispatch(session: Session, args: readonly string[]): Answer {
  const command = resolveCommand(args)
  if (command instanceof ErrorReply) return reject(session, undefined, command)
  session.command = command
  if (!arityFits(command, args)) return reject(session, command, wrongArity(command.fullName))
  if (!session.authenticated && (command.flags & flagBits.no_auth) === 0) return reject(session, command, noAuth)
  const { server } = session
  if (server.trouble.any) {
    const refused = refusal(session, command, args)
    if (refused !== null) return reject(session, command, refused)
  }
  if (session.isSubscriber && session.resp === 2 && (command.flags & flagBits.subscriber) === 0) {
    return reject(session, command, notForSubscribers(command.fullName))
  }
  if (session.queue !== null) {
    if ((command.flags & flagBits.no_multi) !== 0) return reject(session, command, notInTransaction)
    if (command.execute === undefined) return reject(session, command, unsupported(session, command, args))
    if ((command.flags & flagBits.immediate) === 0) {
      if (!session.watchBroken && !session.queueBroken) session.queue.push({ command, args })
      return QUEUED
    }
  }
  if (command.execute === undefined) return reject(session, command, unsupported(session, command, args))
  server.readClock()
  return command.execute(session, args)
}

/** A command that is answered with that error whatever it is, as a server in trouble does. */
export function refuse(session: Session, args: readonly string[], error: ErrorReply): ErrorReply {
  const command = resolveCommand(args)
  return reject(session, command instanceof ErrorReply ? undefined : command, error)
}

/** A queued command of EXEC, or a script's: already checked, never blocks. */
export function execute(session: Session, command: Command, args: readonly string[]): Reply | Several {
  session.command = command
  const answer = command.execute!(session, args)
  if (answer instanceof NoReply || answer instanceof Blocking || answer instanceof Encoded) {
    throw new Error(`${command.fullName} must answer at once inside a transaction or a script`)
  }
  return answer
}

/** The command or subcommand that the words name, or the error of Redis for words that name none. */
export function resolveCommand(args: readonly string[]): Command | ErrorReply {
  const command = findCommand(args[0]!)
  if (command === undefined) return unknownCommand(args)
  if (command.subcommands === undefined || args.length === 1) return command
  return command.subcommands.get(args[1]!.toLowerCase()) ?? unknownSubcommand(args)
}

export function arityFits(command: Command, args: readonly string[]): boolean {
  return command.arity >= 0 ? args.length === command.arity : args.length >= -command.arity
}

/** Real Redis knows the command; the simulation answers as if it did not, and says so to whoever runs it. */
export function unsupported(session: Session, command: Command, args: readonly string[]): ErrorReply {
  session.server.environment.unsupported(command.fullName.toUpperCase().replace('|', ' '))
  return command.fullName.includes('|') ? unknownSubcommand(args) : unknownCommand(args)
}

/** Source: rejectCommand of Redis 7.0: a refusal breaks the transaction, and a refused EXEC aborts it. */
function reject(session: Session, command: Command | undefined, error: ErrorReply): ErrorReply {
  if (session.queue !== null) session.queueBroken = true
  if (command?.fullName !== 'exec') return error
  session.discard()
  const reason = error.message.startsWith('ERR ') ? error.message.slice(4) : error.message
  return new ErrorReply(`EXECABORT Transaction discarded because of: ${reason}`)
}
