import { redirection } from './cluster/redirect.ts'
import {
  type Answer,
  Blocking,
  type Command,
  Encoded,
  flagBits,
  NoReply,
  type Postponed,
  postponed,
  type Several,
} from './command.ts'
import { limitedToMessages, refusal } from './degraded-state.ts'
import { noAuth, notForSubscribers, notInTransaction, unknownCommand, unknownSubcommand, wrongArity } from './errors.ts'
import { executeAndNote, executeAndRecord } from './replication/effects/effects.ts'
import { ErrorReply, QUEUED, type Reply } from './resp/reply.ts'
import type { RedisServer } from './server.ts'
import type { Session } from './session.ts'

/**
 * Dispatches one client command: the checks of Redis's processCommand in their order, then queueing
 * inside MULTI or execution. The server's clock is read once here and does not advance until the
 * answer.
 */
export function dispatch(session: Session, args: readonly string[]): Answer | Postponed {
  const command = resolveCommand(args, session.server)
  session.sent = command instanceof ErrorReply ? undefined : command
  if (command instanceof ErrorReply) return reject(session, undefined, command)
  session.command = command
  if (!arityFits(command, args)) return reject(session, command, wrongArity(command.fullName))
  const { server } = session
  if (!session.authenticated && server.acl.asksForPassword && (command.flags & flagBits.no_auth) === 0) {
    return reject(session, command, noAuth)
  }
  if (!session.user.isUnrestricted && !session.obeyed) {
    const refused = notPermitted(session, command, args)
    if (refused !== null) return reject(session, command, refused)
  }
  if (server.cluster !== null && !session.obeyed) {
    if (session.queue !== null && (command.flags & flagBits.no_multi) !== 0)
      return reject(session, command, notInTransaction)
    const elsewhere = redirection(server.cluster, session, command, args)
    if (elsewhere !== null) return redirect(session, command, elsewhere)
  }
  if (server.degraded.any || server.isGuarded || session.replica !== null || session.monitoring) {
    const refused = refusal(session, command, args)
    if (refused !== null) return reject(session, command, refused)
  }
  if (limitedToMessages(session, command)) {
    return reject(session, command, notForSubscribers(command.fullName))
  }
  if (server.pause.isOn && server.pause.holds(session, command, args)) return postponed
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
  if (server.tracking.used) server.tracking.begin(session, command, args)
  const answer = server.propagation.active ? executeAndRecord(session, command, args) : command.execute(session, args)
  if (server.monitors.any) server.monitors.executed(session, command, args)
  // A blocked command is counted when it is answered.
  if (!(answer instanceof Blocking)) executed(session, command, args, answer)
  session.writeOffset = server.replicationOffset
  return answer
}

const noPermission = {
  key: new ErrorReply('NOPERM this user has no permissions to access one of the keys used as arguments'),
  channel: new ErrorReply('NOPERM this user has no permissions to access one of the channels used as arguments'),
}

function notPermitted(session: Session, command: Command, args: readonly string[]): ErrorReply | null {
  if (session.queue !== null && (command.flags & flagBits.no_multi) !== 0) return notInTransaction
  const found = session.server.acl.denied(session, command, args, session.queue === null ? 'toplevel' : 'multi')
  if (found === null) return null
  if (found.what !== 'command') return noPermission[found.what]
  return new ErrorReply(`NOPERM this user has no permissions to run the '${command.fullName}' command`)
}

/**
 * Answers a command with a redirection. EXEC, too, is answered with the redirection, not with
 * EXECABORT.
 */
function redirect(session: Session, command: Command, elsewhere: ErrorReply): ErrorReply {
  session.server.commandCounts.rejected(command)
  if (command.fullName === 'exec') session.discard()
  else if (session.queue !== null) session.queueBroken = true
  return elsewhere
}

/** Answers any command with this error, as a degraded server does. */
export function refuse(session: Session, args: readonly string[], error: ErrorReply): ErrorReply {
  const command = resolveCommand(args, session.server)
  return reject(session, command instanceof ErrorReply ? undefined : command, error)
}

/**
 * Executes a queued command of EXEC or a command of a script. The command was already checked and
 * never blocks.
 */
export function execute(session: Session, command: Command, args: readonly string[]): Reply | Several {
  session.command = command
  const { tracking, monitors, propagation } = session.server
  if (tracking.used && session.id !== 0) tracking.inTransaction(command, args)
  const answer = propagation.active ? executeAndNote(session, command, args) : command.execute!(session, args)
  if (monitors.any) monitors.executed(session, command, args)
  executed(session, command, args, answer)
  if (answer instanceof NoReply || answer instanceof Blocking || answer instanceof Encoded) {
    throw new Error(`${command.fullName} must answer at once inside a transaction or a script`)
  }
  return answer
}

/** Records an executed command in the server's statistics and logs. */
export function executed(session: Session, command: Command, args: readonly string[], answer: Answer): void {
  const { server } = session
  server.commandCounts.executed(command, answer)
  if (server.tracking.used) server.tracking.executed(session, command, args)
  server.environment.ran?.(command, args)
  // Commands inside a script are not logged; the script is logged as a whole.
  if (server.config.slowlogLogSlowerThan === 0 && session.id !== 0) server.slowLog.add(session, command, args)
}

/** The command or subcommand that the words name, or Redis's error for an unknown one. */
export function resolveCommand(args: readonly string[], server: RedisServer): Command | ErrorReply {
  const command = server.findCommand(args[0]!)
  if (command === undefined) return unknownCommand(args)
  if (command.subcommands === undefined || args.length === 1) return command
  return command.subcommands.get(args[1]!.toLowerCase()) ?? unknownSubcommand(args)
}

export function arityFits(command: Command, args: readonly string[]): boolean {
  return command.arity >= 0 ? args.length === command.arity : args.length >= -command.arity
}

/**
 * Answers a command that is not simulated like an unknown command, and reports it to the
 * environment.
 */
export function unsupported(session: Session, command: Command, args: readonly string[]): ErrorReply {
  session.server.environment.unsupported(command.fullName.toUpperCase().replace('|', ' '))
  return command.fullName.includes('|') ? unknownSubcommand(args) : unknownCommand(args)
}

/**
 * Returns the error. After a refused command, the EXEC of its transaction fails. A refused EXEC
 * aborts the transaction at once. Source: rejectCommand of Redis 7.0.
 */
function reject(session: Session, command: Command | undefined, error: ErrorReply): ErrorReply {
  if (command !== undefined) session.server.commandCounts.rejected(command)
  if (session.queue !== null) session.queueBroken = true
  if (command?.fullName !== 'exec') return error
  session.server.monitors.transactionEnds(session)
  session.discard()
  const reason = error.message.startsWith('ERR ') ? error.message.slice(4) : error.message
  return new ErrorReply(`EXECABORT Transaction discarded because of: ${reason}`)
}
