import { type Command, flagBits } from './command.ts'
import { notForSubscribers } from './errors.ts'
import { parseShebang } from './lua/shebang.ts'
import { isStale, keptOut, masterDown, writeRefusal } from './replication/refusals.ts'
import { ErrorReply } from './resp/reply.ts'
import type { RedisServer } from './server.ts'
import type { QueuedCommand, Session } from './session.ts'

/**
 * States in which a server refuses commands that it would otherwise execute. The owner of the
 * server sets these states. The refused commands, the error texts and the order of checks follow
 * processCommand of Redis 7.0.15.
 */
export class DegradedState {
  /** Used memory exceeds maxmemory, and nothing can be evicted. */
  outOfMemory = false
  /** The data set is being loaded from disk. */
  loading = false
  /** A script or a function has run longer than busy-reply-threshold. */
  busy = false
  busyWith: 'script' | 'function' = 'script'
  /** No more clients are accepted. */
  connectionsExhausted = false

  get any(): boolean {
    return this.outOfMemory || this.loading || this.busy
  }
}

export const outOfMemory = new ErrorReply("OOM command not allowed when used memory > 'maxmemory'.")
const loading = new ErrorReply('LOADING Redis is loading the dataset in memory')
export const busy = {
  script: new ErrorReply('BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.'),
  function: new ErrorReply('BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.'),
}
export const tooManyClients = new ErrorReply('ERR max number of clients reached')

/**
 * Commands that are allowed inside MULTI when the server is out of memory. All other commands are
 * refused, because each of them would grow the queue.
 */
const alwaysInMulti = new Set(['exec', 'discard', 'quit', 'reset'])

/** The error with which the command is refused now; null if it is allowed. */
export function refusal(session: Session, command: Command, args: readonly string[]): ErrorReply | null {
  if (session.obeyed) return null
  const { queue, server } = session
  const { degraded } = server
  // EXEC is refused if a command that it would execute is refused.
  const executes = command.fullName === 'exec' && queue !== null ? [{ command, args }, ...queue] : [{ command, args }]
  const growsQueue = queue !== null && !alwaysInMulti.has(command.fullName)
  if (degraded.outOfMemory && (growsQueue || executes.some((one) => wantsMemory(session, one)))) return outOfMemory
  const flags = executes.map((one) => flagsOf(server, one))
  const anyOf = flags.reduce((all, some) => all | some, 0)
  const allOf = flags.reduce((all, some) => all & some, -1)
  if ((anyOf & flagBits.write) !== 0) {
    const refused = writeRefusal(server)
    if (refused !== null) return refused
  }
  if (limitedToMessages(session, command)) return notForSubscribers(command.fullName)
  if ((allOf & flagBits.stale) === 0 && isStale(server)) return masterDown
  if ((allOf & flagBits.loading) === 0 && (degraded.loading || server.isLoading)) return loading
  if (degraded.busy && (command.flags & flagBits.allow_busy) === 0) return busy[degraded.busyWith]
  return keptOut(session, anyOf)
}

/**
 * True for commands that CLIENT PAUSE WRITE holds back: those that may write or be propagated to
 * replicas.
 */
export function mayChangeData(session: Session, command: Command, args: readonly string[]): boolean {
  const { queue, server } = session
  const held = (one: QueuedCommand) => (flagsOf(server, one) & (flagBits.write | flagBits.may_replicate)) !== 0
  return held({ command, args }) || (command.fullName === 'exec' && queue !== null && queue.some(held))
}

export function limitedToMessages(session: Session, command: Command): boolean {
  return session.isSubscriber && session.resp === 2 && (command.flags & flagBits.subscriber) === 0
}

/**
 * The flags of a command. For a script that declares flags, the declared flags replace those of
 * EVAL or FCALL. Source: scriptFlagsToCmdFlags of Redis 7.0.
 */
export function flagsOf(server: RedisServer, { command, args }: QueuedCommand): number {
  const declared = /^(eval|fcall)/.test(command.fullName) ? scriptFlags(server, command, args[1]!) : null
  if (declared === null) return command.flags
  const flags = command.flags & ~(flagBits.stale | flagBits.write | flagBits.may_replicate)
  const writes = declared.includes('no-writes') ? 0 : flagBits.write
  return flags | writes | (declared.includes('allow-stale') ? flagBits.stale : 0)
}

/**
 * True if the command is refused when the server is out of memory. A script that declares flags is
 * refused as a whole, unless it declares `allow-oom` or `no-writes`. A script without flags fails
 * at its first write.
 */
function wantsMemory({ server }: Session, { command, args }: QueuedCommand): boolean {
  const declared = /^(eval|fcall)/.test(command.fullName) ? scriptFlags(server, command, args[1]!) : null
  if (declared === null) return (command.flags & flagBits.denyoom) !== 0
  return !declared.includes('allow-oom') && !declared.includes('no-writes')
}

function scriptFlags(server: RedisServer, command: Command, name: string): readonly string[] | null {
  if (command.fullName.startsWith('evalsha')) return server.scripts.find(name.toLowerCase())?.flags ?? null
  if (command.fullName.startsWith('fcall')) return server.libraries.find(name)?.flags ?? null
  const shebang = parseShebang(name)
  return shebang instanceof ErrorReply ? null : shebang.flags
}
