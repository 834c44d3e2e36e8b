import { ErrorReply } from '../lua/reply.ts'
import { type Command, flagBits } from './command.ts'
import type { QueuedCommand } from './session.ts'

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
const alwaysInMulti = new Set(['exec', 'discard', 'multi', 'watch', 'quit', 'reset'])

/** Why the command is refused now; null lets it pass. `queue`: what waits for EXEC; null outside of MULTI. */
export function refusal(trouble: Trouble, command: Command, queue: readonly QueuedCommand[] | null): ErrorReply | null {
  const { fullName } = command
  // EXEC is refused for the sake of what it would execute.
  const executes =
    fullName === 'exec' && queue !== null ? [command, ...queue.map((queued) => queued.command)] : [command]
  const has = (flag: keyof typeof flagBits) => (one: Command) => (one.flags & flagBits[flag]) !== 0
  const growsQueue = queue !== null && !alwaysInMulti.has(fullName)
  if (trouble.outOfMemory && (growsQueue || executes.some(has('denyoom')))) return outOfMemory
  if (trouble.loading && !executes.every(has('loading'))) return loading
  if (trouble.busy && !has('allow_busy')(command)) return busy
  return null
}
