import { ErrorReply } from '../lua/reply.ts'
import { type Command, flagBits } from './command.ts'

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

/** Why the command is refused now; null lets it pass. */
export function refusal(trouble: Trouble, command: Command, inMulti: boolean): ErrorReply | null {
  const { flags, fullName } = command
  if (trouble.outOfMemory) {
    if ((flags & flagBits.denyoom) !== 0 || (inMulti && !alwaysInMulti.has(fullName))) return outOfMemory
  }
  if (trouble.loading && (flags & flagBits.loading) === 0) return loading
  if (trouble.busy && (flags & flagBits.allow_busy) === 0) return busy
  return null
}
