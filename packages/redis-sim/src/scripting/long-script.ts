/**
 * A script that runs longer than busy-reply-threshold. All effects of the script are applied when
 * the script begins, because no client can see them before the script ends. Until its end, its
 * caller waits and every other client is answered BUSY. A script that used up its steps is treated
 * as endless. Source: script.c of Redis 7.0.
 */

import { Blocking } from '../command.ts'
import { busy } from '../degraded-state.ts'
import { ErrorReply, OK, type Reply } from '../resp/reply.ts'
import type { RedisServer } from '../server.ts'

export interface LongScript {
  /** Id of the client that called the script. */
  readonly caller: number
  reply: Reply
  readonly hasWritten: boolean
  /** Null for a script. */
  readonly functionName: string | null
  /** The name of the function, or the SHA-1 of the script. */
  readonly name: string
  readonly command: readonly string[]
  readonly sinceMs: number
  /** Duration of the script in milliseconds; null if it never ends. */
  readonly tookMs: number | null
  /** Cancels the scheduled end of the script. */
  readonly cancel: () => void
}

export const killed = new ErrorReply('ERR Script killed by user with SCRIPT KILL...')

export function runLong(server: RedisServer, script: Omit<LongScript, 'sinceMs' | 'cancel'>): Blocking {
  const cancel = script.tookMs === null ? () => {} : server.after(script.tookMs * 1000, () => end(server))
  const running: LongScript = { ...script, sinceMs: server.keyspace.state.nowMs, cancel }
  server.longScript = running
  server.degraded.busy = true
  server.degraded.busyWith = script.functionName === null ? 'script' : 'function'
  return new Blocking(0, () => running.reply)
}

function end(server: RedisServer): void {
  const { caller } = server.longScript!
  server.longScript = null
  server.degraded.busy = false
  server.readClock()
  server.connections.get(caller)?.unblock('timeout')
  server.serveBlocked()
  server.stepUnblocked()
}

/** Executes SCRIPT KILL or FUNCTION KILL. */
export function killScript(server: RedisServer, what: 'script' | 'function'): Reply {
  const { longScript } = server
  if (longScript === null) return new ErrorReply('NOTBUSY No scripts in execution right now.')
  if (longScript.hasWritten) {
    return new ErrorReply(
      'UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.',
    )
  }
  const running = longScript.functionName === null ? 'script' : 'function'
  if (running !== what) return busy[running]
  longScript.cancel()
  // The line that the script has reached is unknown, so the error contains line 1.
  if (longScript.tookMs !== null) {
    longScript.reply = new ErrorReply(`${killed.message} script: ${longScript.name}, on @user_${running}:1.`)
  }
  end(server)
  return OK
}
