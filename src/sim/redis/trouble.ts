import { ErrorReply } from '../lua/reply.ts'
import { parseShebang } from '../lua/shebang.ts'
import { type Command, flagBits } from './command.ts'
import type { RedisServer } from './server.ts'
import type { QueuedCommand, Session } from './session.ts'

/**
 * States of a server in which it refuses commands that it would execute otherwise. The world switches them on and off;
 * what is refused, in which words and which order is processCommand's of Redis 7.0.15.
 */
export class Trouble {
  /** Used memory is above maxmemory, and nothing can be evicted. */
  outOfMemory = false
  /** The data set is being read from disk. */
  loading = false
  /** A script runs for longer than busy-reply-threshold. */
  busy = false
  /** No client more is accepted. */
  connectionsExhausted = false

  get any(): boolean {
    return this.outOfMemory || this.loading || this.busy
  }
}

export const outOfMemory = new ErrorReply("OOM command not allowed when used memory > 'maxmemory'.")
const loading = new ErrorReply('LOADING Redis is loading the dataset in memory')
const busy = new ErrorReply('BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.')
export const tooManyClients = new ErrorReply('ERR max number of clients reached')

/** Inside MULTI a queue may grow without bound, so that everything but these is refused for want of memory. */
const alwaysInMulti = new Set(['exec', 'discard', 'quit', 'reset'])

/** Why the command is refused now; null lets it pass. */
export function refusal(session: Session, command: Command, args: readonly string[]): ErrorReply | null {
  const { queue, server } = session
  const { trouble } = server
  // EXEC is refused for the sake of what it would execute.
  const executes = command.fullName === 'exec' && queue !== null ? [{ command, args }, ...queue] : [{ command, args }]
  const growsQueue = queue !== null && !alwaysInMulti.has(command.fullName)
  if (trouble.outOfMemory && (growsQueue || executes.some((one) => wantsMemory(session, one)))) return outOfMemory
  if (trouble.loading && !executes.every((one) => (one.command.flags & flagBits.loading) !== 0)) return loading
  if (trouble.busy && (command.flags & flagBits.allow_busy) === 0) return busy
  return null
}

/** A script that declares flags is refused as a whole unless they allow it; another one at its first write. */
function wantsMemory({ server }: Session, { command, args }: QueuedCommand): boolean {
  const declared = command.fullName.startsWith('eval') ? scriptFlags(server, command, args[1]!) : null
  if (declared === null) return (command.flags & flagBits.denyoom) !== 0
  return !declared.includes('allow-oom') && !declared.includes('no-writes')
}

function scriptFlags(server: RedisServer, command: Command, name: string): readonly string[] | null {
  if (command.fullName.startsWith('evalsha')) return server.scripts.find(name.toLowerCase())?.flags ?? null
  const shebang = parseShebang(name)
  return shebang instanceof ErrorReply ? null : shebang.flags
}
